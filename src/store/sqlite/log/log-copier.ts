import type { Worker } from 'node:worker_threads'
import type { Database as Connection } from 'better-sqlite3'
import { endThread, startThread } from '../../../lib/threads/run-protected.js'
import { type CheckpointResult, copyLogFrom, emptySharedLog } from '../connection/connection.js'
import type { LogReply, LogRequest } from './checkpoint-thread.js'

/** SQLite's default: a commit that finds this many pages in the log copies them before it returns. */
const usualPages = 1000
/**
 * Limit with a thread (64 MiB, 128 in a file of an earlier release). The log grows longer, because it starts
 * over only after a checkpoint without a write in between.
 */
const pagesWithThread = 32_768
/** Limit for a large transaction (256 MiB); the thread copies it right after the commit. */
const pagesWhenLarge = 131_072

/** Disables copying by commits. */
const noPages = 0

/**
 * Log length at which writes pause (16 MiB, 32 in a file of an earlier release; 8 and 16 for saves). A commit
 * that extends the log also waits for the file length; one that overwrites it does not.
 */
const pagesBeforePause = { unwaited: 8192, saves: 4096 }

/** Runs the thread that copies the log, from the first need until it is idle. */
export class LogCopier {
  readonly #connection: Connection
  readonly #url: URL
  #worker: Worker | undefined
  #busy = false
  #owed = false
  #large = false
  #failed = false
  /** Log length at the thread's last report. */
  #pages = 0
  /** Saves have paused since the last regular copy. */
  #havePaused = false
  #waiting: (() => void)[] = []
  #emptying: ((emptied: boolean) => void)[] = []

  constructor(connection: Connection, url: URL) {
    this.#connection = connection
    this.#url = url
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  get isBusy(): boolean {
    return this.#busy
  }

  /** Starts the thread, unless it runs or has failed before; commits work without it. */
  start(): void {
    if (this.#worker || this.#failed) return
    this.#worker = this.#open()
    if (this.#worker) copyLogFrom(this.#connection, pagesWithThread)
    else this.#failed = true
  }

  copy(): void {
    this.#havePaused = false
    this.#copy()
  }

  /** Requests another copy after the current one, because a large commit came in between. */
  copyOnceMore(): void {
    this.#owed = true
  }

  /** Copies the current log; resolves when that is done, or when the thread has ended. */
  copyAll(): Promise<void> {
    if (this.#busy) this.copyOnceMore()
    else this.#copy()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /**
   * Pauses for a full copy when the log is long. Saves pause once per regular copy, as a reader may block it.
   */
  pause(of: keyof typeof pagesBeforePause): Promise<void> | undefined {
    if (!this.#worker || this.#pages < pagesBeforePause[of]) return undefined
    if (of === 'saves' && this.#havePaused) return undefined
    this.#havePaused = of === 'saves'
    return this.copyAll()
  }

  /** Empties the log. @returns false when a reader still uses it, or the thread is ending. */
  async empty(): Promise<boolean> {
    this.start()
    if (!this.#worker) return !this.#connection.inTransaction && emptySharedLog(this.#connection)
    this.#ask('empty')
    return new Promise(resolve => this.#emptying.push(resolve))
  }

  /**
   * Suspends copying, also by commits, while another process writes the file; then copies all that it left.
   */
  async leaveToOthers<T>(work: () => Promise<T>): Promise<T> {
    await this.end()
    copyLogFrom(this.#connection, noPages)
    try {
      return await work()
    } finally {
      if (this.#connection.open) await this.#copyWhatIsLeft()
    }
  }

  /** Leaves the log of the next commit to the thread, whatever its length; starts the thread if possible. */
  expectLarge(): void {
    this.start()
    if (!this.#worker) return
    this.#large = true
    copyLogFrom(this.#connection, pagesWhenLarge)
  }

  /** Returns whether the commit just made was announced as large. */
  endLarge(): boolean {
    const was = this.#large
    this.#large = false
    return was
  }

  async end(): Promise<void> {
    const ending = this.#worker
    if (!ending) return
    this.#worker = undefined
    this.#busy = false
    this.#owed = false
    this.#pages = 0
    this.#release()
    for (const tell of this.#emptying.splice(0)) tell(false)
    copyLogFrom(this.#connection, usualPages)
    await endThread(ending)
  }

  async #copyWhatIsLeft(): Promise<void> {
    this.start()
    if (!this.#worker) return copyLogFrom(this.#connection, usualPages)
    copyLogFrom(this.#connection, noPages)
    await this.copyAll()
  }

  /** @returns undefined when the thread cannot be started. */
  #open(): Worker | undefined {
    try {
      const worker = startThread(this.#url, { workerData: this.#connection.name })
      worker.on('message', (reply: LogReply) => {
        // A reply may still arrive while the thread ends.
        if (worker !== this.#worker) return
        if ('emptied' in reply) this.#emptying.shift()?.(reply.emptied)
        else this.#onCopied(reply.copied)
      })
      worker.on('error', () => {
        this.#failed = true
        void this.end()
      })
      return worker
    } catch {
      return undefined
    }
  }

  #copy(): void {
    this.#busy = true
    this.#ask('copy')
  }

  #ask(work: LogRequest): void {
    this.#worker?.postMessage(work)
  }

  #onCopied(copied: CheckpointResult | undefined): void {
    this.#busy = false
    this.#pages = copied?.log ?? 0
    if (this.#owed) {
      this.#owed = false
      this.#copy()
      return
    }
    // The paused writers wrote nothing since, so the next write starts the log over.
    if (this.#waiting.length > 0 && copied?.log === copied?.checkpointed) this.#pages = 0
    this.#release()
    if (!this.#large) copyLogFrom(this.#connection, pagesWithThread)
  }

  #release(): void {
    for (const go of this.#waiting) go()
    this.#waiting = []
  }
}
