import { sql } from 'kysely'

/**
 * Number of alive memories. SQLite counts a whole table page by page but steps through rows that meet a condition, and
 * the deleted ones, which leave after a month, are few.
 */
export const aliveCount = sql<number>`((SELECT count(*) FROM memories)
  - (SELECT count(*) FROM memories WHERE is_deleted = 1))`
