import { AppError } from '../../../../contract/ground/errors.js'
import { startThread } from '../../../../lib/threads/run-protected.js'
import { threadUrl } from '../../../../lib/threads/thread-url.js'
import type { Tables } from '../../../../store/tables/tables.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createRestingThread } from '../../../platform/threads/resting-thread.js'
import type { LookUp, LookUpAnswer, LookUpInput } from './look-ups.js'

/**
 * Runs a look-up on the diagnostics thread. @throws the look-up's error; Error when the thread ended first.
 */
export type AskLookUp = <Name extends LookUp>(
  name: Name,
  ...given: LookUpInput<Name>
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
 * Runs look-ups on a thread that exists only while it is used. When other connections can't open a file of
 * the database (a full disk, a deleted file, a server), they run on this thread.
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
    if (!store.file?.othersCanOpen()) {
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
