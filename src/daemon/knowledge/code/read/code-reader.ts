import { startThread } from '../../../../lib/threads/run-protected.js'
import { threadUrl } from '../../../../lib/threads/thread-url.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createRestingThread } from '../../../platform/threads/resting-thread.js'
import type { IndexPlace } from './open-index.js'
import type { Answer, Question, QuestionArgs } from './questions.js'

/**
 * Sends questions to the thread of the code index.
 * @throws AppError `not_indexed`, `not_found`
 */
export interface CodeReader {
  ask<Name extends Question>(
    name: Name,
    place: IndexPlace,
    ...given: QuestionArgs<Name>
  ): Promise<Answer<Name>>
  close(): Promise<void>
}

const threadModule = { from: import.meta.url, source: './reader-thread.ts', bundle: './code-thread.js' }

/** Starts a thread for reading indexes, because large ones would block the event loop. */
export function openCodeReader({ log }: Pick<Daemon, 'log'>): CodeReader {
  const thread = createRestingThread({
    start: () => startThread(threadUrl(threadModule)),
    of: 'the code index',
    log,
  })
  return {
    ask: async (name, ...given) => (await thread.ask(name, given)) as never,
    close: thread.close,
  }
}
