import type { Logger } from 'pino'
import { isDamage } from '../../../store/damage.js'

/** Whether the database holds together, as far as is known. */
export interface Integrity {
  /** What is wrong, a line each; none while nothing is known to be. */
  problems(): readonly string[]
  /** Hears of an error of the store; damage that it tells of counts at once. */
  note(error: unknown): void
  /** Takes what a check found in place of what was known. */
  found(problems: readonly string[]): void
}

export function createIntegrity(log: Logger): Integrity {
  const state = { problems: [] as readonly string[] }
  const found = (problems: readonly string[]): void => {
    if (problems.length > 0) log.error({ problems }, 'the database is damaged')
    state.problems = problems
  }
  return {
    problems: () => state.problems,
    note: error => {
      if (isDamage(error) && state.problems.length === 0) found([(error as Error).message])
    },
    found,
  }
}
