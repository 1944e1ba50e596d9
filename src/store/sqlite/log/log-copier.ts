import type { Worker } from 'node:worker_threads'
import type { Database as Connection } from 'better-sqlite3'
import { endThread, startThread } from '../../../lib/threads/undisturbed.js'
import { type CopiedLog, copyLogFrom, emptySharedLog } from '../connection/connection.js'
import type { LogReply, LogWork } from './checkpoint-thread.js'

/** SQLite's own: a commit that finds so many pages in the log copies them to the database before it returns. */
const usualPages = 1000
/**
 * The limit while a thread checkpoints (64 MiB, twice that in a file of an earlier release): the log starts over only
 * after a checkpoint without a write in between, so it grows longer.
 */
const pagesWithThread = 32_768
/** The limit for a large transaction (256 MiB): the thread copies it as soon as it is committed. */
const pagesWhenLarge = 131_072

/** No commit copies a log, however long it is. */
const noPages = 0

/**
 * Writes make a pause when the log is so long (16 MiB, 32 in a file of an earlier release; 8 and 16 for saves). A commit to
 * a log that grows waits for the length of the file to be written as well, which one that overwrites it does not.
 */
const pagesBeforePause = { unwaited: 8192, saves: 4096 }

/** The thread that copies the log, from when it is first wanted until it is not. */
export class LogCopier {
  readonly #connection: Connection
  readonly #url: URL
  #worker: Worker | undefined
  #busy = false
  #owed = false
  #large = false
  #failed = false
  /** Of the log, when the thread looked last. */
  #pages = 0
  /** Whether saves made a pause since the last copy that was due. */
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

  /** Starts the thread, unless it runs or one broke: then none comes again, and a commit is none the worse. */
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

  /** Lets the thread look again when it is done: what was committed meanwhile is large. */
  copyOnceMore(): void {
    this.#owed = true
  }

  /** Copies what is there now; resolves when that is done, or when there is no thread any more. */
  copyAll(): Promise<void> {
    if (this.#busy) this.copyOnceMore()
    else this.#copy()
    return new Promise(resolve => this.#waiting.push(resolve))
  }

  /** A pause in which all is copied, where the log is long. Another one of saves would be in vain while somebody reads it. */
  pause(of: keyof typeof pagesBeforePause): Promise<void> | undefined {
    if (!this.#worker || this.#pages < pagesBeforePause[of]) return undefined
    if (of === 'saves' && this.#havePaused) return undefined
    this.#havePaused = of === 'saves'
    return this.copyAll()
  }

  /** Leaves nothing in the log. @returns false where somebody reads it still, or where the thread is being ended. */
  async empty(): Promise<boolean> {
    this.start()
    if (!this.#worker) return !this.#connection.inTransaction && emptySharedLog(this.#connection)
    this.#ask('empty')
    return new Promise(resolve => this.#emptying.push(resolve))
  }

  /** Copies nothing while others write the file, and then all that they left, however long the log is; no commit does. */
  async leaveToOthers<T>(work: () => Promise<T>): Promise<T> {
    await this.end()
    copyLogFrom(this.#connection, noPages)
    try {
      return await work()
    } finally {
      if (this.#connection.open) await this.#copyWhatIsLeft()
    }
  }

  /** The next commit leaves its log to the thread, however long it is; starts the thread, if one can be had. */
  expectLarge(): void {
    this.start()
    if (!this.#worker) return
    this.#large = true
    copyLogFrom(this.#connection, pagesWhenLarge)
  }

  /** Whether the commit that has just been made was expected to be large. */
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

  /** @returns undefined where no thread can be had. */
  #open(): Worker | undefined {
    try {
      const worker = startThread(this.#url, { workerData: this.#connection.name })
      worker.on('message', (reply: LogReply) => {
        // Its last answer may come while it is being ended.
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

  #ask(work: LogWork): void {
    this.#worker?.postMessage(work)
  }

  #onCopied(copied: CopiedLog | undefined): void {
    this.#busy = false
    this.#pages = copied?.log ?? 0
    if (this.#owed) {
      this.#owed = false
      this.#copy()
      return
    }
    // Whoever waited wrote nothing meanwhile: the next write begins the log anew.
    if (this.#waiting.length > 0 && copied?.log === copied?.checkpointed) this.#pages = 0
    this.#release()
    if (!this.#large) copyLogFrom(this.#connection, pagesWithThread)
  }

  #release(): void {
    for (const go of this.#waiting) go()
    this.#waiting = []
  }
}
