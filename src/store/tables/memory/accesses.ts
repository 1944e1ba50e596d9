import { type Kysely, sql } from 'kysely'
import type { MemoryAccessesTable, Schema } from '../../schema/schema.js'
import { jsonMembersOf, listOf } from '../../sql/dialect.js'
import type { MemoryRow } from './memories.js'

/** Recalls within about one second. */
export interface Accesses {
  /** ISO time of the last one. */
  at: string
  /** Number of recalls by memory id. */
  counts: Readonly<Record<string, number>>
}

/**
 * How often and when memories were recalled. A log first collects the counts, so that a recall of many
 * memories writes few pages; they move to the rows of the memories once the log has grown.
 */
export function accessesTable(db: Kysely<Schema>) {
  const members = jsonMembersOf('memory_access_log.counts', 'counted')
  return {
    note: async ({ at, counts }: Accesses): Promise<void> => {
      await sql`INSERT INTO memory_access_log (at, counts) VALUES (${at}, ${JSON.stringify(counts)})`.execute(
        db,
      )
    },
    loggedBytes: async (): Promise<number> => {
      const { rows } = await sql<{ bytes: number }>`SELECT COALESCE(SUM(octet_length(counts)), 0) AS bytes
        FROM memory_access_log`.execute(db)
      return rows[0]?.bytes ?? 0
    },
    /** Returns the ids of memories with recalls that are still in the log. */
    loggedIds: async (): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`SELECT DISTINCT counted.key AS id
        FROM memory_access_log, ${members}`.execute(db)
      return rows.map(({ id }) => id)
    },
    /** Moves the log into rows per memory, dropping deleted memories. Call it in a transaction. */
    gather: async (): Promise<void> => {
      await sql`INSERT INTO memory_accesses (memory_id, count, last_at)
        SELECT counted.key, SUM(counted.value), MAX(memory_access_log.at) FROM memory_access_log, ${members}
        WHERE EXISTS (SELECT 1 FROM memories WHERE memories.id = counted.key) GROUP BY counted.key
        ON CONFLICT (memory_id) DO UPDATE
          SET count = memory_accesses.count + excluded.count, last_at = excluded.last_at`.execute(db)
      await sql`DELETE FROM memory_access_log`.execute(db)
    },
    /** Adds all counted recalls to rows of memories. */
    counted: async <Row extends Pick<MemoryRow, 'id' | 'access_count' | 'last_accessed'>>(
      rows: readonly Row[],
    ): Promise<Row[]> => {
      if (rows.length === 0) return []
      const ids = listOf(rows.map(({ id }) => id))
      const { rows: found } = await sql<MemoryAccessesTable>`
        SELECT memory_id, SUM(count) AS count, MAX(last_at) AS last_at FROM (
          SELECT memory_id, count, last_at FROM memory_accesses WHERE memory_id IN ${ids}
          UNION ALL
          SELECT counted.key, counted.value, memory_access_log.at FROM memory_access_log, ${members}
            WHERE counted.key IN ${ids}) listed
        GROUP BY memory_id`.execute(db)
      const byId = new Map(found.map(one => [one.memory_id, one]))
      return rows.map(row => withAccesses(row, byId.get(row.id)))
    },
  }
}

function withAccesses<Row extends Pick<MemoryRow, 'access_count' | 'last_accessed'>>(
  row: Row,
  accesses: MemoryAccessesTable | undefined,
): Row {
  if (!accesses) return row
  const { count, last_at } = accesses
  return { ...row, access_count: row.access_count + count, last_accessed: last_at }
}
