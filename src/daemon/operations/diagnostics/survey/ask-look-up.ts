import { Worker } from 'node:worker_threads'
import { AppError, type ErrorCode, errorStatus } from '../../../../contract/ground/errors.js'
import { createCalls } from '../../../../lib/calls.js'
import { threadUrl } from '../../../../lib/thread-url.js'
import { systemTimers, type Timers } from '../../../../lib/timers.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type LookUp, type LookUpAnswer, type LookUpGiven, type LookUpReply, lookUps } from './look-ups.js'

/** Asks the thread of diagnostics. @throws what the look-up throws; Error when the thread ended first. */
export type AskLookUp = <Name extends LookUp>(
  name: Name,
  ...given: LookUpGiven<Name>
) => Promise<LookUpAnswer<Name>>

export interface LookUpThread {
  ask: AskLookUp
  close(): Promise<void>
}

/** A thread that nobody asks anything for so long ends: it is there for a look now and then. */
const restMs = 30_000

/**
 * A thread that reads the database for diagnostics: started when something is asked, ended when nothing was for a
 * while. On a full disk the file is held by one connection alone: then this thread answers itself.
 */
export function openLookUps(
  { store, paths, log }: Pick<Daemon, 'store' | 'paths' | 'log'>,
  timers: Timers = systemTimers,
): LookUpThread {
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
        drop().catch(error => log.warn({ err: error }, 'the thread of diagnostics did not end'))
    })
  }
  const ask: AskLookUp = async (name, ...given) => {
    if (state.closed) throw new AppError('starting', 'the daemon is stopping')
    if (store.isAlone()) {
      const lookUp = lookUps[name] as (tables: Tables, ...rest: unknown[]) => Promise<never>
      return lookUp(store.tables, ...given)
    }
    state.thread ??= startThread(paths.database, () => {
      state.thread = undefined
    })
    try {
      return (await state.thread.ask(name, given)) as never
    } finally {
      rest()
    }
  }
  return {
    ask,
    close: async () => {
      state.closed = true
      state.endRest()
      await drop()
    },
  }
}

interface Thread {
  ask(name: LookUp, given: readonly unknown[]): Promise<unknown>
  waiting(): number
  end(): Promise<void>
}

function startThread(database: string, onEnd: () => void): Thread {
  const url = threadUrl({
    from: import.meta.url,
    source: './look-up-thread.ts',
    bundle: './diagnostics-thread.js',
  })
  const worker = new Worker(url, { workerData: database })
  const calls = createCalls<unknown>()
  const ended = (reason: Error): void => {
    onEnd()
    calls.rejectAll(reason)
  }
  worker.on('message', (reply: LookUpReply) => {
    if ('fault' in reply) calls.reject(reply.call, faultOf(reply.fault))
    else calls.resolve(reply.call, reply.answer)
  })
  worker.on('error', ended)
  worker.on('exit', code => ended(new Error(`the thread of diagnostics ended (code ${code})`)))
  return {
    ask: (name, given) => calls.open(call => worker.postMessage({ call, name, given })),
    waiting: calls.count,
    end: async () => {
      await worker.terminate()
    },
  }
}

/** An error of a look-up as it was thrown there: threads hand on nothing but the text of an error. */
function faultOf({ code, message }: Extract<LookUpReply, { fault: object }>['fault']): Error {
  if (code !== undefined && code in errorStatus) return new AppError(code as ErrorCode, message)
  return Object.assign(new Error(message), { code })
}
