import type { Properties } from './draft'

/** What a relation is: of which kind, to what, and how the other side calls it. */
export type Link = { relation: RelationName; target: string; inverse: string | null }

export type RelationName = 'oneToOne' | 'oneToMany' | 'manyToOne' | 'manyToMany'

/** The kinds as people choose them: the first two have no other side. */
export const KINDS = ['oneWay', 'manyWay', 'oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const
export type RelationKind = (typeof KINDS)[number]

const NAMES: Record<RelationKind, RelationName> = {
  oneWay: 'oneToOne',
  manyWay: 'oneToMany',
  oneToOne: 'oneToOne',
  oneToMany: 'oneToMany',
  manyToOne: 'manyToOne',
  manyToMany: 'manyToMany',
}
const FACING: Record<RelationName, RelationName> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
}

export const relationNameOf = (kind: RelationKind): RelationName => NAMES[kind]

/** Whether a kind has a field on its other side if that has a name. */
export const hasOtherSide = (kind: RelationKind): boolean => kind !== 'oneWay' && kind !== 'manyWay'

/** Whether the other side must have a name: without one the kind would be that of one side alone. */
export const needsInverse = (kind: RelationKind): boolean => kind === 'oneToOne' || kind === 'oneToMany'

export function kindOf(properties: Properties): RelationKind | undefined {
  const relation = properties.relation as RelationName | undefined
  if (!relation || !(relation in FACING)) return undefined
  if (properties.targetAttribute) return relation
  if (relation === 'oneToOne') return 'oneWay'
  return relation === 'oneToMany' ? 'manyWay' : relation
}

/** The other side of a relation. */
export function otherSideOf(relation: RelationName, uid: string, name: string, owned: boolean): Properties {
  return {
    type: 'relation',
    relation: FACING[relation],
    target: uid,
    targetAttribute: name,
    [owned ? 'mappedBy' : 'inversedBy']: name,
  }
}

/** Whether each side of a kind leads to several entries. */
export const leadsToMany = (kind: RelationKind): { here: boolean; there: boolean } => ({
  here: kind === 'manyWay' || kind === 'oneToMany' || kind === 'manyToMany',
  there: kind === 'manyToOne' || kind === 'manyToMany',
})
