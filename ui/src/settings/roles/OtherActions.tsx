import { Checkbox, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { nameOf } from '../ContentApiPermissions'
import { ConditionsButton } from './Conditions'
import { namesOfConditions, type Catalogue, type Grants, type OtherAction } from './grants'

/** Actions that are not about a content type, by plugin or area. */
export function OtherActions({ actions, conditions, grants, readOnly, onChange }: {
  actions: OtherAction[]
  conditions: Catalogue['conditions']
  grants: Grants
  readOnly: boolean
  onChange: (grants: Grants) => void
}) {
  const groups = new Map<string, OtherAction[]>()
  for (const one of actions) {
    const name = groupOf(one)
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  const set = (uids: string[], on: boolean) => {
    const others = new Map(grants.others)
    for (const uid of uids) {
      if (on) others.set(uid, others.get(uid) ?? [])
      else others.delete(uid)
    }
    onChange({ ...grants, others })
  }
  const descriptionOf = (one: OtherAction) =>
    [...areaOf(one), namesOfConditions(grants.others.get(one.action) ?? [], conditions)].filter(Boolean).join(' · ')
  return (
    <Stack gap="lg">
      {[...groups].map(([name, members]) => {
        const count = members.filter((one) => grants.others.has(one.action)).length
        return (
          <Stack key={name} gap="xs" component="section" aria-label={name}>
            <Group gap="xs">
              <Checkbox
                size="xs"
                label={<Title order={3}>{name}</Title>}
                checked={count === members.length}
                indeterminate={count > 0 && count < members.length}
                disabled={readOnly}
                onChange={() => set(members.map((one) => one.action), count < members.length)}
              />
              <ConditionsButton
                name={name}
                granted={members.flatMap((one) => {
                  const held = grants.others.get(one.action)
                  return held && (isAboutFiles(one) || held.length > 0) ? [{ id: one.action, label: labelOf(one), conditions: held }] : []
                })}
                conditions={conditions}
                readOnly={readOnly}
                onChange={(action, chosen) => onChange({ ...grants, others: new Map(grants.others).set(action, chosen) })}
              />
            </Group>
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="xs" verticalSpacing={8} pl={24}>
              {members.map((one) => (
                <Checkbox
                  key={one.action}
                  size="xs"
                  label={one.displayName}
                  description={descriptionOf(one) && <Text span size="xs" c="dimmed">{descriptionOf(one)}</Text>}
                  checked={grants.others.has(one.action)}
                  disabled={readOnly}
                  onChange={(event) => set([one.action], event.currentTarget.checked)}
                />
              ))}
            </SimpleGrid>
          </Stack>
        )
      })}
    </Stack>
  )
}

/** Whether conditions limit an action: other actions of plugins and settings are not about something with a creator. */
const isAboutFiles = ({ action }: OtherAction) => /^plugin::upload\.(read$|assets\.)/.test(action)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const words = (text: string) => capital(text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase())
const groupOf = ({ plugin, category }: OtherAction) => (plugin ? nameOf(plugin) : capital(category ?? ''))

/** The part of its group that an action is about, if there are several. */
const areaOf = ({ subCategory }: OtherAction) => (subCategory === 'general' ? [] : [words(subCategory)])
const labelOf = (one: OtherAction) => [...areaOf(one), one.displayName].join(': ')

/** The name of an action with its group, to tell it from those of the same name. */
export const nameOfOther = (one: OtherAction) => `${[groupOf(one), ...areaOf(one)].join(', ')}: ${one.displayName}`
