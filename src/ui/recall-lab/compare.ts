/** Differences between two results of the same query. */
export interface Difference {
  found: string[]
  lost: string[]
  moved: { id: string; from: number; to: number }[]
}

/** @param before earlier ids in order, @param after current ids; positions count from 1 */
export function compare(before: readonly string[], after: readonly string[]): Difference {
  const moved = after.flatMap((id, position) => {
    const was = before.indexOf(id)
    return was < 0 || was === position ? [] : [{ id, from: was + 1, to: position + 1 }]
  })
  return {
    found: after.filter(id => !before.includes(id)),
    lost: before.filter(id => !after.includes(id)),
    moved,
  }
}
