import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AheadWork, SetWork, Work } from './store.js'
import type { Tables } from './tables/tables.js'

export interface GroupCommitOptions {
  /** Maximum number of works (or of their rows) in one transaction, because requests wait while it runs. */
  atMost?: number
  /** How long the first work waits for others; undefined waits only for this turn of the event loop. */
  lingerMs?: number
  /** It waits for no more than the last transaction had, whose callers may come again. */
  asLast?: boolean
  /** Syncs committed transactions to disk; works that arrive in the meantime wait. */
  settle?: () => Promise<void>
  /** Returns whether an error ends all works of a transaction: alone each would fail, or be done twice. */
  endsAll?: (error: unknown) => boolean
  /** Commits works that need no answers; when it fails nothing was changed. */
  ahead?: AheadTransaction
}

type Transaction = <T>(work: Work<T>, rows: number) => Promise<T>

/** @returns undefined when the work needs answers after all */
export type AheadTransaction = <Result>(
  work: (tables: Tables) => ReturnType<AheadWork<unknown, Result>>,
) => Promise<readonly Result[] | undefined>

interface ShareOptions {
  /** Number of rows that it writes, default 1. */
  rows?: number
  /** Runs it in its own transaction, in its turn. */
  alone?: boolean
}

interface QueuedWork {
  work: SetWork<unknown, unknown>
  ahead?: AheadWork<unknown, unknown> | undefined
  input: unknown
  rows: number
  /** Its share of the rows of one transaction. */
  size: number
  resolve(result: unknown): void
  fail(error: unknown): void
}

/** Writes that share transactions, and so waits for the disk. */
export interface GroupCommit {
  write<T>(work: Work<T>, options?: ShareOptions): Promise<T>
  /** Writes an input with those that wait for the same work, in one call of it. */
  together<Input, Result>(
    work: SetWork<Input, Result>,
    input: Input,
    ahead?: AheadWork<Input, Result>,
  ): Promise<Result>
}

/**
 * Combines small concurrent writes into one transaction, and so into one wait for the disk. A caller is
 * resolved once its write is durable. If one work fails, each is repeated in its own transaction, so that
 * only its own caller sees the failure. A work with more than `atMost` rows gets its own transaction.
 */
export function groupCommit(transaction: Transaction, options: GroupCommitOptions = {}): GroupCommit {
  const queue = new CommitQueue(transaction, options)
  const join = <Input, Result>(
    work: SetWork<Input, Result>,
    input: Input,
    { rows = 1, alone = false, ahead }: ShareOptions & { ahead?: AheadWork<Input, Result> | undefined } = {},
  ): Promise<Result> =>
    new Promise((resolve, fail) => {
      const size = alone ? Number.POSITIVE_INFINITY : rows
      queue.join({ work, ahead, input, rows, size, resolve, fail } as QueuedWork)
    })
  return {
    write: (work, options) => join(async tables => [await work(tables)], undefined, options),
    together: (work, input, ahead) => join(work, input, { ahead: options.ahead && ahead }),
  }
}

class CommitQueue {
  readonly #transaction: Transaction
  readonly #atMost: number
  readonly #lingerMs: number | undefined
  readonly #asLast: boolean
  /** Works of the last transaction; falls by one with each that has fewer. */
  #last = 1
  readonly #settle: () => Promise<void>
  readonly #endsAll: (error: unknown) => boolean
  readonly #ahead: AheadTransaction | undefined
  readonly #waiting: QueuedWork[] = []
  #isRunning = false
  /** Stops waiting for further works. */
  #goNow = (): void => undefined

  constructor(transaction: Transaction, options: GroupCommitOptions) {
    this.#transaction = transaction
    this.#atMost = options.atMost ?? 32
    this.#lingerMs = options.lingerMs
    this.#asLast = options.asLast ?? false
    this.#settle = options.settle ?? (async () => undefined)
    this.#endsAll = options.endsAll ?? (() => false)
    this.#ahead = options.ahead
  }

  join(work: QueuedWork): void {
    this.#waiting.push(work)
    if (this.#isEnough()) this.#goNow()
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#gathered()
      const works = this.#next()
      if (await this.#sentAhead(works)) continue
      await (works.length === 1 ? this.#each(works) : this.#together(works))
    }
    this.#isRunning = false
  }

  #isFull(): boolean {
    return sizeOf(this.#waiting) >= this.#atMost
  }

  #isEnough(): boolean {
    return this.#isFull() || (this.#asLast && this.#waiting.length >= this.#last)
  }

  async #gathered(): Promise<void> {
    if (this.#lingerMs === undefined || this.#isEnough()) return this.#turnsThatBring()
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, this.#lingerMs)
      this.#goNow = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Waits for works of the same turn, and for those that callers of the last commit add next. */
  async #turnsThatBring(): Promise<void> {
    let known: number
    do {
      known = this.#waiting.length
      await nextTurn()
    } while (this.#waiting.length > known && !this.#isFull())
  }

  #next(): QueuedWork[] {
    const works = this.#waiting.splice(0, 1)
    for (
      let [next] = this.#waiting;
      next && next.ahead === works[0]?.ahead && sizeOf(works) + next.size <= this.#atMost;
      [next] = this.#waiting
    )
      works.push(...this.#waiting.splice(0, 1))
    this.#last = Math.max(works.length, this.#last - 1)
    return works
  }

  /** @returns false when the works are still to be done, and nothing was changed */
  async #sentAhead(works: readonly QueuedWork[]): Promise<boolean> {
    const [{ ahead } = {}] = works
    if (!ahead || !this.#ahead) return false
    const inputs = works.map(({ input }) => input)
    try {
      const results = await this.#ahead(tables => ahead(tables, inputs))
      if (!results) return false
      await this.#tell(works, tellersOf(works, results))
    } catch (error) {
      if (!this.#endsAll(error)) return false
      for (const { fail } of works) fail(error)
    }
    return true
  }

  async #each(works: readonly QueuedWork[]): Promise<void> {
    for (const work of works) {
      const tell = await this.#transaction(tables => runAll(tables, [work]), work.rows).catch(work.fail)
      if (tell) await this.#tell([work], tell)
    }
  }

  async #together(works: readonly QueuedWork[]): Promise<void> {
    const running = this.#transaction(tables => runAll(tables, works), rowsOf(works))
    let tellAll: readonly (() => void)[]
    try {
      tellAll = await running
    } catch (error) {
      if (!this.#endsAll(error)) return this.#each(works)
      for (const { fail } of works) fail(error)
      return
    }
    await this.#tell(works, tellAll)
  }

  /** Committed works are not repeated, even if the sync fails. */
  async #tell(works: readonly QueuedWork[], tellAll: readonly (() => void)[]): Promise<void> {
    try {
      await this.#settle()
    } catch (error) {
      for (const { fail } of works) fail(error)
      return
    }
    for (const tell of tellAll) tell()
  }
}

/**
 * Runs works in a shared transaction; neighbours with the same work are one call.
 * @returns functions that resolve the callers, to be called after the sync.
 */
async function runAll(tables: Tables, works: readonly QueuedWork[]): Promise<(() => void)[]> {
  const tellAll: (() => void)[] = []
  for (let first = 0; first < works.length; ) {
    const { work } = works[first] as QueuedWork
    const others = works.findIndex((one, place) => place > first && one.work !== work)
    const some = works.slice(first, others < 0 ? undefined : others)
    const inputs = some.map(({ input }) => input)
    tellAll.push(...tellersOf(some, await work(tables, inputs)))
    first += some.length
  }
  return tellAll
}

function tellersOf(works: readonly QueuedWork[], results: readonly unknown[]): (() => void)[] {
  return works.map(
    ({ resolve }, place) =>
      () =>
        resolve(results[place]),
  )
}

function rowsOf(works: readonly QueuedWork[]): number {
  return works.reduce((sum, { rows }) => sum + rows, 0)
}

function sizeOf(works: readonly QueuedWork[]): number {
  return works.reduce((sum, { size }) => sum + size, 0)
}
