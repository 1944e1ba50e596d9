import { setImmediate as nextTurn } from 'node:timers/promises'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'

/** Work of the daemon that a kill is aimed at while requests go on, and what the database says meanwhile. */
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

/** A moment passes within milliseconds: it is looked for without a pause, and given up after this. */
const patienceMs = 20_000

/**
 * Waits until the daemon of a database is at some work, and for a random while longer.
 * @returns whether it was still at it then; the connection is closed, so that the kill leaves nobody in the log.
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
