import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tables } from './tables/tables.js'

/** Works that share one transaction at most: requests wait while it runs. */
const sharedAtMost = 32

type Transaction = <T>(work: (tables: Tables) => Promise<T>) => Promise<T>

interface Waiting {
  /** Runs in a transaction that others may share. @returns what tells its caller, once that is on the disk. */
  run(tables: Tables): Promise<() => void>
  fail(error: unknown): void
}

/**
 * Lets small writes that come at the same moment share one transaction, and so one wait for the disk: a caller hears of
 * its own once it is durable. When one of them fails each is done again in a transaction of its own, so that its failure
 * is its own.
 */
export function groupCommit(transaction: Transaction): Transaction {
  const waiting: Waiting[] = []
  const state = { isRunning: false }
  const each = async (works: readonly Waiting[]): Promise<void> => {
    for (const work of works) await transaction(tables => work.run(tables)).then(tell => tell(), work.fail)
  }
  const together = async (works: readonly Waiting[]): Promise<void> => {
    const tellAll = await transaction(async tables => {
      const told = []
      for (const work of works) told.push(await work.run(tables))
      return told
    }).catch(() => undefined)
    if (!tellAll) return each(works)
    for (const tell of tellAll) tell()
  }
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      // What other requests of this turn write comes along.
      await nextTurn()
      const works = waiting.splice(0, sharedAtMost)
      await (works.length === 1 ? each(works) : together(works))
    }
    state.isRunning = false
  }
  return work =>
    new Promise((resolve, reject) => {
      waiting.push({
        run: async tables => {
          const result = await work(tables)
          return () => resolve(result)
        },
        fail: reject,
      })
      if (state.isRunning) return
      state.isRunning = true
      void run()
    })
}
