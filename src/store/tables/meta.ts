import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.js'

export function metaTable(db: Kysely<Schema>) {
  return {
    /** The next number of the change sequence; call it inside the transaction of the change. */
    nextChange: async (): Promise<number> => {
      const { value } = await db
        .updateTable('meta')
        .set({ value: sql`CAST(value AS INTEGER) + 1` })
        .where('key', '=', 'change')
        .returning('value')
        .executeTakeFirstOrThrow()
      return Number(value)
    },
    lastChange: async (): Promise<number> => {
      const { value } = await db
        .selectFrom('meta')
        .select('value')
        .where('key', '=', 'change')
        .executeTakeFirstOrThrow()
      return Number(value)
    },
  }
}
