import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import { ClientError } from '../../../client/http/client-error.js'
import type { TaskEvent } from '../../../client/stream.js'
import type { Reply } from '../../../contract/api.js'
import { isOpen, type TaskRun } from './task-text.js'

/**
 * A program that ignores the first signal is killed after five seconds; the daemon replies once it has ended.
 */
const timeoutMs = 30_000

export interface RunFollowing {
  /** Opens a stream of the task's events from now on. */
  open(): AsyncIterable<TaskEvent>
  /** Returns the current state of the run; undefined if it was removed. */
  find(runId: string): Promise<TaskRun | undefined>
  /** Id of the run; if absent, the current or next one. */
  runId: string | undefined
  onOutput(text: string): void
  /** Reports a number of characters of the output that were lost. */
  onGap(characters: number): void
  signal: AbortSignal
}

const firstWaitMs = 100
const longestWaitMs = 2000
/** A restarted daemon is available again within this time. */
const giveUpAfterMs = 60_000

/**
 * Passes on the output of a run from its beginning, each character once, until it has ended; reopens a broken
 * connection. @returns the ended run; undefined if the signal aborts first or the run is removed.
 * @throws ClientError if no daemon answers for a minute, or the task was removed.
 */
export async function followRun(following: RunFollowing): Promise<TaskRun | undefined> {
  const reader = new RunReader(following)
  let lastHeard = Date.now()
  for (let waitMs = firstWaitMs; !following.signal.aborted; ) {
    const before = reader.heard
    const error = await reader.read().catch((cause: unknown) => cause)
    if (following.signal.aborted) return undefined
    if (reader.heard > before) {
      lastHeard = Date.now()
      waitMs = firstWaitMs
    }
    const ended = await reader.settle().catch((cause: unknown) => {
      if (isFinal(cause)) throw cause
    })
    if (ended) return ended
    if (isFinal(error) || Date.now() - lastHeard > giveUpAfterMs) throw error ?? new Error('the stream ended')
    await delay(waitMs, undefined, { signal: following.signal }).catch(() => undefined)
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
  return undefined
}

/** A retry would get the same reply. */
function isFinal(error: unknown): boolean {
  return error instanceof ClientError && error.status >= 400 && error.status < 500
}

class RunReader {
  heard = 0
  #runId: string | undefined
  /** UTF-16 units passed on so far. */
  #passedOn = 0
  #ended = false

  constructor(readonly following: RunFollowing) {
    this.#runId = following.runId
  }

  /** Reads one connection until the run or the connection has ended. */
  async read(): Promise<undefined> {
    for await (const event of this.following.open()) {
      this.heard++
      // A named run may have ended before the stream was opened.
      if (event.type === 'connected' && this.#runId !== undefined) {
        const run = await this.following.find(this.#runId)
        if (run && !isOpen(run.status)) return undefined
      } else this.#take(event)
      if (this.#ended) return undefined
    }
    return undefined
  }

  #take(event: TaskEvent): void {
    if (event.type === 'run-started') this.#runId ??= event.run.id
    else if (event.type === 'run-output' && event.runId === this.#runId)
      this.#passOn(event.offset, event.data)
    else if (event.type === 'run-completed' && event.run.id === this.#runId) this.#ended = true
  }

  #passOn(offset: number, data: string): void {
    if (offset > this.#passedOn) {
      this.following.onGap(offset - this.#passedOn)
      this.#passedOn = offset
    }
    const fresh = data.slice(this.#passedOn - offset)
    if (fresh === '') return
    this.#passedOn += fresh.length
    this.following.onOutput(fresh)
  }

  /** Returns the run once it has ended, after passing on the output that the stream missed. */
  async settle(): Promise<TaskRun | undefined> {
    if (this.#runId === undefined) return undefined
    const run = await this.following.find(this.#runId)
    if (!run || isOpen(run.status)) return undefined
    if (!run.outputTruncated) this.#passOn(0, run.output)
    return run
  }
}

/** Cancels the open run of a task. @returns the ended run. @throws ClientError `conflict` if none is open. */
export async function cancelRun(
  taskId: string,
  reach: CallOptions,
): Promise<Reply<'POST /api/tasks/:id/cancel'>> {
  return call('POST /api/tasks/:id/cancel', { params: { id: taskId } }, { ...reach, timeoutMs })
}
