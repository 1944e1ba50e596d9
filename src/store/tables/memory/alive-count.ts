import { sql } from 'kysely'
import { byIndex } from '../../sql/dialect.js'

/**
 * Number of alive memories that somebody may read. SQLite counts a whole table page by page but steps through rows that
 * meet a condition; the deleted ones, which leave after a month, and those of removed agents are few.
 */
export const aliveCount = sql<number>`((SELECT count(*) FROM memories)
  - (SELECT count(*) FROM memories WHERE is_deleted = 1)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived'))`

/** How many of them are chunks of documents. The condition of the first is that of the index of chunks. */
export const chunkCount = sql<number>`((SELECT count(*) FROM memories WHERE type = 'document_chunk' AND is_deleted = 0)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived' AND type = 'document_chunk'))`
