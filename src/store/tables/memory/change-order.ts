import { type RawBuilder, sql } from 'kysely'
import { byIndex, joinByKey, rowNumber, unindexed } from '../../sql/dialect.js'

/*
 * Memories in the order of their changes. The row of a memory has the number of its creation, so that a save
 * writes no index of changes: rows as they were created are in order by themselves, and an index has the
 * others, with all rows of earlier releases.
 */

const forwards = { beyond: sql`>`, upTo: sql`<=`, order: sql``, farthest: sql`max(change)` }
const backwards = { beyond: sql`<`, upTo: sql`>=`, order: sql` DESC`, farthest: sql`min(change)` }
const ends = { after: sql.lit(Number.MAX_SAFE_INTEGER), before: sql.lit(0) }

/** Selects the next memories after a change, in order, or before one, newest first. */
export function inChangeOrder<Row>(
  columns: RawBuilder<unknown>,
  side: 'after' | 'before',
  { change, limit, where = sql`TRUE` }: { change: number; limit: number; where?: RawBuilder<unknown> },
): RawBuilder<Row> {
  const { beyond, upTo, order, farthest } = side === 'after' ? forwards : backwards
  const number = rowNumber('memories')
  // Rows as created are looked for only as far as the changed ones reach: all may have changed.
  return sql<Row>`WITH changed (number, change) AS (
      SELECT ${number}, change FROM ${byIndex('memories', 'memories_changed')}
      WHERE change <> ${number} AND change ${beyond} ${change} AND ${where} ORDER BY change${order} LIMIT ${limit}),
    created (number, change) AS (
      SELECT ${number}, change FROM memories
      WHERE ${number} ${beyond} ${change} AND ${number} ${upTo} (
          SELECT CASE WHEN count(*) < ${limit} THEN ${ends[side]} ELSE ${farthest} END FROM changed)
        AND ${unindexed('change')} = ${number} AND ${where} ORDER BY ${number}${order} LIMIT ${limit})
    SELECT ${columns} FROM (
      SELECT number FROM (SELECT * FROM changed UNION ALL SELECT * FROM created) listed
      ORDER BY change${order} LIMIT ${limit}) chosen
    ${joinByKey('memories', 'memories', sql`chosen.number`)} ORDER BY memories.change${order}`
}
