import type { IndexFacts } from './memory-index.js'
import type { PackedRows } from './packed-rows.js'

/** What ranking may know of a row that is in place. */
function factsOf({ columns, ids, sessions }: PackedRows, row: number): IndexFacts {
  const { previous, next } = sessions.neighbours(row)
  return {
    who: columns.enums.who.get(row),
    createdAt: columns.numbers.createdAt[row]!,
    session: columns.enums.session.get(row),
    previous: previous === undefined ? null : ids.of(previous),
    next: next === undefined ? null : ids.of(next),
  }
}

/** The same for rows that were found and those beside them, by id. */
export function factsAround(
  rows: PackedRows,
  found: readonly (readonly (readonly [number, number])[])[],
): Map<string, IndexFacts> {
  const { columns, ids, sessions } = rows
  const facts = new Map<string, IndexFacts>()
  const seen = new Set<number>()
  const note = (row: number | undefined): void => {
    if (row === undefined || seen.has(row) || columns.live[row] !== 1) return
    seen.add(row)
    facts.set(ids.of(row), factsOf(rows, row))
  }
  for (const channel of found)
    for (const [row] of channel) {
      const { previous, next } = sessions.neighbours(row)
      note(row)
      note(previous)
      note(next)
    }
  return facts
}
