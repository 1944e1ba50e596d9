import type { Logger } from 'pino'
import { isDamage } from '../../../store/faults.js'

/** Known damage to the database. */
export interface Integrity {
  /** One line per fault; empty if none is known. */
  problems(): readonly string[]
  /** Examines a statement's error; a damaged page reported by SQLite becomes a fault at once. */
  note(error: unknown): void
  /** Replaces the known faults with the result of a full check. */
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
