import { diffArrays } from 'diff'

/** What became of one item between two lists. `changed` is an item that took another one's place. */
export type ListChange<Item> =
  | { kind: 'added'; after: Item }
  | { kind: 'removed'; before: Item }
  | { kind: 'same' | 'moved' | 'changed'; before: Item; after: Item }

type Options<Item> = {
  /** Equal for items that say the same. */
  keyOf: (item: Item) => string
  /** Whether an item may be another one that was changed; without it, it is removed and added. */
  isPair?: (before: Item, after: Item) => boolean
}

/** Tell two lists apart: in the order of the second one, with removed items where they were. */
export function listChanges<Item>(before: Item[], after: Item[], { keyOf, isPair }: Options<Item>): ListChange<Item>[] {
  const found: ListChange<Item>[] = []
  let [left, right] = [0, 0]
  for (const part of diffArrays(before.map(keyOf), after.map(keyOf))) {
    for (let count = 0; count < part.value.length; count += 1) {
      if (part.added) found.push({ kind: 'added', after: after[right++]! })
      else if (part.removed) found.push({ kind: 'removed', before: before[left++]! })
      else found.push({ kind: 'same', before: before[left++]!, after: after[right++]! })
    }
  }
  const withMoves = joined(found, 'moved', (one, other) => keyOf(one) === keyOf(other), () => true)
  return isPair ? joined(withMoves, 'changed', isPair, ({ kind }) => kind === 'added' || kind === 'removed') : withMoves
}

/** Make one change of what was removed and what was added, where they fit and no other change lies between them. */
function joined<Item>(
  changes: ListChange<Item>[],
  kind: 'moved' | 'changed',
  fits: (before: Item, after: Item) => boolean,
  mayLieBetween: (change: ListChange<Item>) => boolean,
): ListChange<Item>[] {
  const taken = new Set<number>()
  const joint = changes.map((change, at): ListChange<Item> => {
    if (change.kind !== 'added') return change
    let [first, last] = [at, at]
    while (first > 0 && mayLieBetween(changes[first - 1]!)) first -= 1
    while (last < changes.length - 1 && mayLieBetween(changes[last + 1]!)) last += 1
    for (let other = first; other <= last; other += 1) {
      const candidate = changes[other]!
      if (candidate.kind !== 'removed' || taken.has(other) || !fits(candidate.before, change.after)) continue
      taken.add(other)
      return { kind, before: candidate.before, after: change.after }
    }
    return change
  })
  return joint.filter((_, at) => !taken.has(at))
}
