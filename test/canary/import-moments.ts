import { setImmediate as nextTurn } from 'node:timers/promises'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

/** Worker states during requests, each with a query that detects the state in the database. */
const moments = {
  inventory: `SELECT 1 FROM transcript_imports i JOIN transcript_import_files f ON f.job_id = i.id
    WHERE i.state = 'active' AND f.counted_whole = 0`,
  batch: `SELECT 1 FROM transcript_import_bodies b JOIN transcript_imports i ON i.id = b.job_id
    WHERE i.state = 'active' AND NOT EXISTS (SELECT 1 FROM transcripts t WHERE t.body_id = b.body_id)`,
  indexing: `SELECT 1 FROM transcript_import_bodies b JOIN transcripts t ON t.body_id = b.body_id`,
  removal: `SELECT 1 FROM transcript_imports i WHERE i.removed_at IS NOT NULL AND EXISTS
    (SELECT 1 FROM transcript_import_fingerprints f WHERE f.job_id = i.id AND f.removed_at IS NULL)`,
} as const
export type Moment = keyof typeof moments

/** A state lasts milliseconds, so it is polled without a pause; polling stops after this time. */
const patienceMs = 20_000

/**
 * Waits until the daemon of a database is in a state, and for a random time longer.
 * @returns whether it was still in that state then; the connection is closed, so that no reader of the log is
 * left.
 */
export async function waitFor(file: string, moment: Moment, withinMs: number): Promise<boolean> {
  const database = new BetterSqlite(file, { readonly: true })
  const isNow = database.prepare(moments[moment])
  try {
    const end = performance.now() + patienceMs
    while (isNow.get() === undefined) {
      if (performance.now() > end) return false
      await nextTurn()
    }
    const until = performance.now() + Math.random() * withinMs
    while (performance.now() < until) await nextTurn()
    return isNow.get() !== undefined
  } finally {
    database.close()
  }
}
