import type { IndexFacts } from './memory-index.js'
import type { PackedRows } from './packed-rows.js'

/** What ranking may know of rows that were found and of those beside them in their sessions, by id. */
export function factsAround(
  rows: PackedRows,
  found: readonly (readonly (readonly [number, number])[])[],
): Map<string, IndexFacts> {
  const { columns, ids, sessions } = rows
  const { who, session } = columns.enums
  const facts = new Map<string, IndexFacts>()
  const seen = new Set<number>()
  const idAt = (mates: readonly number[], at: number): string | null =>
    at < 0 || at >= mates.length ? null : ids.of(mates[at]!)
  const note = (mates: readonly number[], at: number): void => {
    const row = mates[at]
    if (row === undefined || seen.has(row) || columns.live[row] !== 1) return
    seen.add(row)
    facts.set(ids.of(row), {
      who: who.get(row),
      createdAt: columns.numbers.createdAt[row]!,
      session: session.get(row),
      previous: idAt(mates, at - 1),
      next: idAt(mates, at + 1),
    })
  }
  for (const channel of found)
    for (const [row] of channel) {
      const { mates, at } = sessions.placeOf(row)
      note(mates, at)
      note(mates, at - 1)
      note(mates, at + 1)
    }
  return facts
}
