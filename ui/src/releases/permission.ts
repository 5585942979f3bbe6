import { hasDrafts, useAbility, useModel } from '../api/hooks'

/** Whether the role may publish entries of some type: so it may make and change releases. */
export function useMayPublish(): boolean {
  const ability = useAbility()
  return useModel().displayed.some((type) => hasDrafts(type) && ability.canContent('publish', type.uid))
}

/** Whether the role may read entries of some type with drafts: so there is something to see in releases. */
export function useMaySeeReleases(): boolean {
  const ability = useAbility()
  return useModel().displayed.some((type) => hasDrafts(type) && ability.canContent('read', type.uid))
}
