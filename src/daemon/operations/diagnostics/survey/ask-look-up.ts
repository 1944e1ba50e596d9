import { AppError } from '../../../../contract/ground/errors.js'
import { threadUrl } from '../../../../lib/threads/thread-url.js'
import { startThread } from '../../../../lib/threads/undisturbed.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createRestingThread } from '../../../platform/threads/resting-thread.js'
import type { LookUp, LookUpAnswer, LookUpGiven } from './look-ups.js'

/** Asks the thread of diagnostics. @throws what the look-up throws; Error when the thread ended first. */
export type AskLookUp = <Name extends LookUp>(
  name: Name,
  ...given: LookUpGiven<Name>
) => Promise<LookUpAnswer<Name>>

export interface LookUpThread {
  ask: AskLookUp
  close(): Promise<void>
}

const threadModule = {
  from: import.meta.url,
  source: './look-up-thread.ts',
  bundle: './diagnostics-thread.js',
}

/**
 * A thread that reads the database for diagnostics, while it is asked. On a full disk the file is held by one connection
 * alone, and one that is gone can't be opened: then this thread answers itself.
 */
export function openLookUps({ store, paths, log }: Pick<Daemon, 'store' | 'paths' | 'log'>): LookUpThread {
  let closed = false
  const thread = createRestingThread({
    start: () => startThread(threadUrl(threadModule), { workerData: paths.database }),
    of: 'diagnostics',
    log,
  })
  const ask: AskLookUp = async (name, ...given) => {
    if (closed) throw new AppError('starting', 'the daemon is stopping')
    if (!store.file.othersCanOpen()) {
      const { lookUps } = await import('./look-ups.js')
      const lookUp = lookUps[name] as (tables: Tables, ...rest: unknown[]) => Promise<never>
      return lookUp(store.tables, ...given)
    }
    return (await thread.ask(name, given)) as never
  }
  return {
    ask,
    close: async () => {
      closed = true
      await thread.close()
    },
  }
}
