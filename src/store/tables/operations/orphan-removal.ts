import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { columnsOf } from '../../sql/catalogue.js'
import { rowNumber } from '../../sql/dialect.js'
import { unpackedId } from '../../sql/packed.js'
import type { Owned, RowKey } from './orphans.js'

/** A row whose owner is gone, with whose it is: as it says, or as cold storage knows of its memory. */
export interface Orphan {
  key: RowKey
  /** Undefined where nobody knows. */
  agentId: string | undefined
}

const indexed = 'an index of words holds them and would not hear of it; no search shows them'

const kept: ReadonlyMap<string, string> = new Map([
  ['memory_history', 'what these memories said may stand nowhere else; it goes when it is 180 days old'],
  ['source_artifacts', indexed],
  ['source_chunks', indexed],
  ['transcript_chunks', indexed],
])

/** Why rows of a table that belong to nothing are not simply deleted; undefined where they are. */
export function whyKept(table: string): string | undefined {
  return kept.get(table)
}

/** Taking rows out whose owner is gone. */
export function orphanRemovalTable(db: Kysely<Schema>) {
  return {
    /** Whose rows are. */
    agentsOf: async (owned: Owned, keys: readonly RowKey[]): Promise<Orphan[]> => {
      const columns = new Set((await columnsOf(db, owned.table)).map(({ name }) => name))
      const agent = columns.has('agent_id')
        ? sql`r.agent_id`
        : columns.has('memory_id')
          ? sql`(SELECT c.agent_id FROM cold_memories c WHERE c.id = ${unpackedId('r.memory_id')} LIMIT 1)`
          : undefined
      const found: Orphan[] = []
      for (const key of keys) found.push({ key, agentId: agent && (await agentOf(db, owned, key, agent)) })
      return found
    },
    /** Deletes rows by their keys, those that still have no owner. @returns how many. */
    drop: async (owned: Owned, keys: readonly RowKey[]): Promise<number> => {
      let dropped = 0
      for (const key of keys) {
        const { rows } = await sql`SELECT 1 FROM ${sql.table(owned.table)} AS r
          WHERE ${isKey(owned, key, 'r')} AND ${owned.isOrphan}`.execute(db)
        if (rows.length === 0) continue
        const { numAffectedRows = 0n } = await sql`DELETE FROM ${sql.table(owned.table)}
          WHERE ${isKey(owned, key, owned.table)}`.execute(db)
        dropped += Number(numAffectedRows)
      }
      return dropped
    },
  }
}

async function agentOf(
  db: Kysely<Schema>,
  owned: Owned,
  key: RowKey,
  agent: RawBuilder<unknown>,
): Promise<string | undefined> {
  const { rows } = await sql<{ agent: string | null }>`SELECT ${agent} AS agent
    FROM ${sql.table(owned.table)} AS r WHERE ${isKey(owned, key, 'r')}`.execute(db)
  return rows[0]?.agent ?? undefined
}

function isKey({ key: columns }: Owned, key: RowKey, alias: string): RawBuilder<unknown> {
  if (columns.length === 0) return sql`${rowNumber(alias)} = ${key[0]}`
  return sql.join(
    columns.map((column, at) => sql`${sql.ref(`${alias}.${column}`)} = ${key[at]}`),
    sql` AND `,
  )
}
