import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Work } from '../../store.js'
import type { Tables } from '../../tables/tables.js'

export interface GroupCommitOptions {
  /** Works, or rows of theirs, that share one transaction at most: requests wait while it runs. */
  atMost?: number
  /** So long the first one waits for others to come; without it only as long as this turn of the event loop. */
  lingerMs?: number
  /** Brings what was committed onto the disk, where the transaction leaves that to it; those who come meanwhile wait. */
  settle?: () => Promise<void>
}

type Transaction = <T>(work: Work<T>, rows: number) => Promise<T>

interface ShareOptions {
  /** That it writes, default 1. */
  rows?: number
  /** Runs it in a transaction of its own, in its turn. */
  alone?: boolean
}

interface Waiting {
  rows: number
  /** What it takes of the rows that share a transaction. */
  size: number
  /** Runs in a transaction that others may share. @returns what tells its caller, once that is on the disk. */
  run(tables: Tables): Promise<() => void>
  fail(error: unknown): void
}

/**
 * Lets small writes that come at the same moment share one transaction, and so one wait for the disk: a caller hears of
 * its own once it is durable. When one of them fails each is done again in a transaction of its own, so that its failure
 * is its own. A work of more than `atMost` has a transaction for itself.
 */
export function groupCommit(
  transaction: Transaction,
  options: GroupCommitOptions = {},
): <T>(work: Work<T>, options?: ShareOptions) => Promise<T> {
  const line = new CommitLine(transaction, options)
  return (work, { rows = 1, alone = false } = {}) =>
    new Promise((resolve, reject) => {
      const run = async (tables: Tables): Promise<() => void> => {
        const result = await work(tables)
        return () => resolve(result)
      }
      line.join({ rows, size: alone ? Number.POSITIVE_INFINITY : rows, run, fail: reject })
    })
}

class CommitLine {
  readonly #transaction: Transaction
  readonly #atMost: number
  readonly #lingerMs: number | undefined
  readonly #settle: () => Promise<void>
  readonly #waiting: Waiting[] = []
  #isRunning = false
  /** Ends the waiting for others. */
  #goNow = (): void => undefined

  constructor(transaction: Transaction, { atMost = 32, lingerMs, settle }: GroupCommitOptions) {
    this.#transaction = transaction
    this.#atMost = atMost
    this.#lingerMs = lingerMs
    this.#settle = settle ?? (async () => undefined)
  }

  join(work: Waiting): void {
    this.#waiting.push(work)
    if (this.#isFull()) this.#goNow()
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#gathered()
      const works = this.#next()
      await (works.length === 1 ? this.#each(works) : this.#together(works))
    }
    this.#isRunning = false
  }

  #isFull(): boolean {
    return sizeOf(this.#waiting) >= this.#atMost
  }

  async #gathered(): Promise<void> {
    if (this.#lingerMs === undefined || this.#isFull()) return this.#turnsThatBring()
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, this.#lingerMs)
      this.#goNow = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /**
   * What other requests of this turn write comes along, and so on: who hears of the commit before asks again while those
   * who did not are worked on.
   */
  async #turnsThatBring(): Promise<void> {
    let known: number
    do {
      known = this.#waiting.length
      await nextTurn()
    } while (this.#waiting.length > known && !this.#isFull())
  }

  #next(): Waiting[] {
    const works = this.#waiting.splice(0, 1)
    for (
      let [next] = this.#waiting;
      next && sizeOf(works) + next.size <= this.#atMost;
      [next] = this.#waiting
    )
      works.push(...this.#waiting.splice(0, 1))
    return works
  }

  async #each(works: readonly Waiting[]): Promise<void> {
    for (const work of works) {
      const { run, fail, rows } = work
      const tell = await this.#transaction(tables => run(tables), rows).catch(fail)
      if (tell) await this.#tell([work], [tell])
    }
  }

  async #together(works: readonly Waiting[]): Promise<void> {
    const tellAll = await this.#transaction(async tables => {
      const told = []
      for (const work of works) told.push(await work.run(tables))
      return told
    }, rowsOf(works)).catch(() => undefined)
    await (tellAll ? this.#tell(works, tellAll) : this.#each(works))
  }

  /** What is committed is not done again, whether or not it comes to the disk. */
  async #tell(works: readonly Waiting[], tellAll: readonly (() => void)[]): Promise<void> {
    try {
      await this.#settle()
    } catch (error) {
      for (const { fail } of works) fail(error)
      return
    }
    for (const tell of tellAll) tell()
  }
}

function rowsOf(works: readonly Waiting[]): number {
  return works.reduce((sum, { rows }) => sum + rows, 0)
}

function sizeOf(works: readonly Waiting[]): number {
  return works.reduce((sum, { size }) => sum + size, 0)
}
