import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../../schema/schema.js'
import { columnsOf } from '../../sql/catalogue.js'
import { rowNumber } from '../../sql/dialect.js'
import { unpackedId } from '../../sql/packed.js'
import type { OrphanSource, RowKey } from './orphans.js'

/** A row whose owner is missing, with its agent, from the row itself or from its memory's cold copy. */
export interface Orphan {
  key: RowKey
  /** Undefined when the agent is unknown. */
  agentId: string | undefined
}

const indexed = 'a keyword index contains them and would miss the deletion; no search shows them'

const keepReasons: ReadonlyMap<string, string> = new Map([
  ['memory_history', 'this may be the only copy of these memories; it is deleted after 180 days'],
  ['source_artifacts', indexed],
  ['source_chunks', indexed],
  ['transcript_chunks', indexed],
])

/** Returns why orphans of a table are not deleted; undefined when they are. */
export function keepReason(table: string): string | undefined {
  return keepReasons.get(table)
}

/** Deletes rows whose owner is missing. */
export function orphanRemovalTable(db: Kysely<Schema>) {
  return {
    /** Returns the agent of each row. */
    agentsOf: async (owned: OrphanSource, keys: readonly RowKey[]): Promise<Orphan[]> => {
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
    /** Deletes the given rows that still have no owner. @returns the number deleted. */
    drop: async (owned: OrphanSource, keys: readonly RowKey[]): Promise<number> => {
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
  owned: OrphanSource,
  key: RowKey,
  agent: RawBuilder<unknown>,
): Promise<string | undefined> {
  const { rows } = await sql<{ agent: string | null }>`SELECT ${agent} AS agent
    FROM ${sql.table(owned.table)} AS r WHERE ${isKey(owned, key, 'r')}`.execute(db)
  return rows[0]?.agent ?? undefined
}

function isKey({ key: columns }: OrphanSource, key: RowKey, alias: string): RawBuilder<unknown> {
  if (columns.length === 0) return sql`${rowNumber(alias)} = ${key[0]}`
  return sql.join(
    columns.map((column, at) => sql`${sql.ref(`${alias}.${column}`)} = ${key[at]}`),
    sql` AND `,
  )
}
