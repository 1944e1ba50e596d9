import { sql } from 'kysely'
import { byIndex } from '../../sql/dialect.js'

/**
 * Counts live memories, except archived ones. SQLite counts a whole table much faster than a filtered one, so
 * the few deleted and archived rows are subtracted.
 */
export const aliveCount = sql<number>`((SELECT count(*) FROM memories)
  - (SELECT count(*) FROM memories WHERE is_deleted = 1)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived'))`

/** Counts those that are chunks of documents. The first condition matches the index of chunks. */
export const chunkCount = sql<number>`((SELECT count(*) FROM memories WHERE type = 'document_chunk' AND is_deleted = 0)
  - (SELECT count(*) FROM ${byIndex('memories', 'memories_archived')}
      WHERE is_deleted = 0 AND visibility = 'archived' AND type = 'document_chunk'))`
