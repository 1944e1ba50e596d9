import { parentPort, type TransferListItem, type Worker } from 'node:worker_threads'
import { AppError, type ErrorCode, errorStatus } from '../../../contract/ground/errors.js'
import { createCalls } from '../../../lib/concurrency/calls.js'
import { endThread } from '../../../lib/threads/run-protected.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'
import type { Daemon } from '../daemon/daemon.js'

/** A thread that exists only while it is used. */
export interface RestingThread {
  /** @throws the thread's error; Error when it ended first, AppError `starting` when the daemon stops */
  ask(name: string, given: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

interface Options extends Pick<Daemon, 'log'> {
  start(): Worker
  /** Names the thread in errors: `the thread of ...`. */
  of: string
  timers?: Timers
}

/** An unused thread ends after this time. */
const restMs = 30_000

/** A request to a thread: a name and arguments. */
export interface ThreadRequest {
  call: number
  name: string
  given: readonly unknown[]
}

/** Threads pass errors as text only. */
type ThreadReply =
  | { call: number; answer: unknown }
  | { call: number; fault: { name: string; code: string | undefined; message: string } }

/** Starts a thread for the first request and ends it after a time without any. */
export function createRestingThread({ start, of, log, timers = systemTimers }: Options): RestingThread {
  const state: { thread: Thread | undefined; endRest: () => void; closed: boolean } = {
    thread: undefined,
    endRest: () => undefined,
    closed: false,
  }
  const drop = async (): Promise<void> => {
    const { thread } = state
    state.thread = undefined
    await thread?.end()
  }
  const rest = (): void => {
    state.endRest()
    state.endRest = timers.after(restMs, () => {
      if (state.thread && state.thread.waiting() === 0)
        drop().catch(error => log.warn({ err: error }, `the thread of ${of} did not end`))
    })
  }
  const begin = (): Thread => {
    const thread: Thread = openThread(start(), of, () => {
      if (state.thread === thread) state.thread = undefined
    })
    return thread
  }
  return {
    ask: async (name, given) => {
      if (state.closed) throw new AppError('starting', 'the daemon is stopping')
      state.thread ??= begin()
      try {
        return await state.thread.ask(name, given)
      } finally {
        rest()
      }
    },
    close: async () => {
      state.closed = true
      state.endRest()
      await drop()
    },
  }
}

interface Thread {
  ask(name: string, given: readonly unknown[]): Promise<unknown>
  waiting(): number
  end(): Promise<void>
}

function openThread(worker: Worker, of: string, onEnd: () => void): Thread {
  const calls = createCalls<unknown>()
  const ended = (reason: Error): void => {
    onEnd()
    calls.rejectAll(reason)
  }
  worker.on('message', (reply: ThreadReply) => {
    if ('fault' in reply) calls.reject(reply.call, faultOf(reply.fault))
    else calls.resolve(reply.call, reply.answer)
  })
  worker.on('error', ended)
  worker.on('exit', code => ended(new Error(`the thread of ${of} ended (code ${code})`)))
  return {
    ask: (name, given) => calls.open(call => worker.postMessage({ call, name, given })),
    waiting: calls.count,
    end: () => endThread(worker),
  }
}

/** Rebuilds an error thrown in the thread. */
function faultOf({ code, message }: Extract<ThreadReply, { fault: object }>['fault']): Error {
  if (code !== undefined && code in errorStatus) return new AppError(code as ErrorCode, message)
  return Object.assign(new Error(message), { code })
}

/** An answer whose buffers are transferred instead of copied. */
export class TransferredAnswer {
  constructor(
    readonly answer: unknown,
    readonly buffers: readonly TransferListItem[],
  ) {}
}

/** The thread's side: answers requests one after another. */
export function answerAll(answer: (name: string, given: readonly unknown[]) => unknown): void {
  let last = Promise.resolve()
  const reply = async ({ call, name, given }: ThreadRequest): Promise<void> => {
    try {
      const answered = await answer(name, given)
      if (answered instanceof TransferredAnswer) send({ call, answer: answered.answer }, answered.buffers)
      else send({ call, answer: answered })
    } catch (error) {
      const { name: kind, code, message } = error as { name: string; code?: string; message: string }
      send({ call, fault: { name: kind, code, message } })
    }
  }
  parentPort?.on('message', (request: ThreadRequest) => {
    last = last.then(() => reply(request))
  })
}

function send(reply: ThreadReply, buffers: readonly TransferListItem[] = []): void {
  parentPort?.postMessage(reply, buffers)
}
