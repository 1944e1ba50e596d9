import { type Insertable, type Kysely, type RawBuilder, sql } from 'kysely'
import { slicesOf } from '../../../lib/text/slices-of.js'
import type { AgentsTable, Schema } from '../../schema/schema.js'
import { byIndex, listOf } from '../../sql/dialect.js'
import { packedListOf } from '../../sql/packed.js'
import type { MemoryRow } from '../memory/memories.js'
import { exportedEvents } from './exported-events.js'
import { exportedMemories } from './exported-memories.js'

/** Rows per insert; SQLite allows 32,766 values per statement. */
const maxRows = 500

export type NewAgent = Insertable<AgentsTable>

/** A live row whose content or idempotency key may conflict with an import. */
export type Claimant = Pick<
  MemoryRow,
  'id' | 'content_hash' | 'hash_space' | 'idempotency_key' | 'agent_id' | 'visibility' | 'scope'
>

/** Copies rows in bulk, unchanged (export and import). */
export function transferTable(db: Kysely<Schema>) {
  return { ...exportedMemories(db), ...exportedEvents(db), ...incoming(db) }
}

function incoming(db: Kysely<Schema>) {
  return {
    /** Returns the given ids that are stored, forgotten ones included. */
    storedIds: async (ids: readonly string[]): Promise<Set<string>> => {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where(sql<boolean>`id IN ${listOf(ids)}`)
        .execute()
      return new Set(rows.map(row => row.id))
    },
    /** Returns live rows with one of these contents or idempotency keys; one with both may occur twice. */
    claimants: async (hashes: readonly string[], keys: readonly string[]): Promise<Claimant[]> => {
      // Names the indexes, as for a single save; otherwise SQLite scans all live rows per batch.
      const claiming = (index: string, column: string, values: RawBuilder<unknown>) => sql`
        SELECT id, content_hash, hash_space, idempotency_key, agent_id, visibility, scope
        FROM ${byIndex('memories', index)}
        WHERE is_deleted = 0 AND ${sql.ref(column)} IN ${values}`
      const { rows } =
        await sql<Claimant>`${claiming('memories_hash', 'content_hash', packedListOf('hash', hashes))}
        UNION ALL ${claiming('memories_idempotency', 'idempotency_key', listOf(keys))}
        AND idempotency_key IS NOT NULL`.execute(db)
      return rows
    },
    /** Registers agents with their policies; existing ones are unchanged. */
    insertAgents: async (rows: readonly NewAgent[]): Promise<void> => {
      for (const some of slicesOf(rows, maxRows))
        await db
          .insertInto('agents')
          .values(some)
          .onConflict(conflict => conflict.doNothing())
          .execute()
    },
  }
}
