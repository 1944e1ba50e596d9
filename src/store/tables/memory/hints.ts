import { type Insertable, type Kysely, sql } from 'kysely'
import type { HintsTable, Schema } from '../../schema/schema.js'
import { listOf } from '../../sql/dialect.js'
import { insertRows } from '../../sql/insert-rows.js'

export function hintsTable(db: Kysely<Schema>) {
  return {
    add: (rows: readonly Insertable<HintsTable>[]): Promise<void> => insertRows(db, 'memory_hints', rows),
    /** Returns hints by memory id, in order; ids without hints are absent. */
    of: async (ids: readonly string[]): Promise<Map<string, string[]>> => {
      const found = new Map<string, string[]>()
      if (ids.length === 0) return found
      const { rows } = await sql<{ memory_id: string; hint: string }>`SELECT memory_id, hint FROM memory_hints
        WHERE memory_id IN ${listOf(ids)} ORDER BY memory_id, position`.execute(db)
      for (const { memory_id: id, hint } of rows) {
        const hints = found.get(id)
        if (hints) hints.push(hint)
        else found.set(id, [hint])
      }
      return found
    },
  }
}
