import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import { ClientError } from '../../../client/http/client-error.js'
import type { TaskEvent } from '../../../client/stream.js'
import type { Reply } from '../../../contract/api.js'
import { isOpen, type TaskRun } from './task-text.js'

/** A program that ignores the first signal has five seconds; the daemon answers when it has ended. */
const timeoutMs = 30_000

export interface RunFollowing {
  /** A stream of the task's events from now on. */
  open(): AsyncIterable<TaskEvent>
  /** The run as it stands; undefined when it is gone. */
  find(runId: string): Promise<TaskRun | undefined>
  /** Which run; the one that runs now, or the next one, when absent. */
  runId: string | undefined
  onOutput(text: string): void
  /** So many characters of the output are not known. */
  onGap(characters: number): void
  signal: AbortSignal
}

const firstWaitMs = 100
const longestWaitMs = 2000
/** A daemon that is started again is back within this. */
const giveUpAfterMs = 60_000

/**
 * Tells what a run writes from its beginning, each character once, until it has ended; a connection that breaks off is
 * opened again. @returns the run as it ended; undefined when the signal aborts first, or the run is removed.
 * @throws ClientError when no daemon answers for a minute, or the task is gone.
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

/** Asking again would bring the same answer. */
function isFinal(error: unknown): boolean {
  return error instanceof ClientError && error.status >= 400 && error.status < 500
}

class RunReader {
  heard = 0
  #runId: string | undefined
  /** UTF-16 units that were told. */
  #told = 0
  #ended = false

  constructor(readonly following: RunFollowing) {
    this.#runId = following.runId
  }

  /** One connection, until the run has ended or the connection has. */
  async read(): Promise<undefined> {
    for await (const event of this.following.open()) {
      this.heard++
      // A run that was named may have ended before anybody listened.
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
    else if (event.type === 'run-output' && event.runId === this.#runId) this.#tell(event.offset, event.data)
    else if (event.type === 'run-completed' && event.run.id === this.#runId) this.#ended = true
  }

  #tell(offset: number, data: string): void {
    if (offset > this.#told) {
      this.following.onGap(offset - this.#told)
      this.#told = offset
    }
    const fresh = data.slice(this.#told - offset)
    if (fresh === '') return
    this.#told += fresh.length
    this.following.onOutput(fresh)
  }

  /** The run once it has ended, with what was written while nobody listened. */
  async settle(): Promise<TaskRun | undefined> {
    if (this.#runId === undefined) return undefined
    const run = await this.following.find(this.#runId)
    if (!run || isOpen(run.status)) return undefined
    if (!run.outputTruncated) this.#tell(0, run.output)
    return run
  }
}

/** Ends the open run of a task. @returns the run as it ended. @throws ClientError `conflict` when none is open. */
export async function cancelRun(
  taskId: string,
  reach: CallOptions,
): Promise<Reply<'POST /api/tasks/:id/cancel'>> {
  return call('POST /api/tasks/:id/cancel', { params: { id: taskId } }, { ...reach, timeoutMs })
}
