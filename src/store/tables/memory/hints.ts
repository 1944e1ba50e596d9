import type { Kysely } from 'kysely'
import type { Schema } from '../../schema/schema.js'

export function hintsTable(db: Kysely<Schema>) {
  return {
    add: async (memoryId: string, hints: readonly string[]): Promise<void> => {
      if (hints.length === 0) return
      await db
        .insertInto('memory_hints')
        .values(hints.map((hint, position) => ({ memory_id: memoryId, position, hint })))
        .execute()
    },
    /** Hints by memory id, in their order; ids without hints are absent. */
    of: async (ids: readonly string[]): Promise<Map<string, string[]>> => {
      const found = new Map<string, string[]>()
      if (ids.length === 0) return found
      const rows = await db
        .selectFrom('memory_hints')
        .select(['memory_id', 'hint'])
        .where('memory_id', 'in', [...ids])
        .orderBy('memory_id')
        .orderBy('position')
        .execute()
      for (const { memory_id: id, hint } of rows) {
        const hints = found.get(id)
        if (hints) hints.push(hint)
        else found.set(id, [hint])
      }
      return found
    },
  }
}
