import type { Logger } from 'pino'
import { isDamage } from '../../../store/sqlite/connection/damage.js'

/** What is known of damage to the database. */
export interface Integrity {
  /** The faults, one line each; empty while none is known. */
  problems(): readonly string[]
  /** Takes an error of a statement; if SQLite reports a damaged page in it, that becomes a fault at once. */
  note(error: unknown): void
  /** Replaces the known faults by the result of a full check. */
  found(problems: readonly string[]): void
}

export function createIntegrity(log: Logger): Integrity {
  let known: readonly string[] = []
  const found = (problems: readonly string[]): void => {
    if (problems.length > 0) log.error({ problems }, 'the database is damaged')
    known = problems
  }
  return {
    problems: () => known,
    note: error => {
      if (isDamage(error) && known.length === 0) found([(error as Error).message])
    },
    found,
  }
}
