import type { Worker } from 'node:worker_threads'
import threadLimits from '../../../../bin/thread-limits.json' with { type: 'json' }
import { createCalls } from '../../../lib/concurrency/calls.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import { endThread, startThread } from '../../../lib/threads/undisturbed.js'
import type { Entry } from '../../../store/index/collection.js'
import type { IndexLog } from './index-source.js'
import type { LiveIndex, LiveStats } from './live-index.js'
import { takeBegunThread } from './prepared-thread.js'
import type { IndexCall, IndexCalls, IndexReply, IndexRequest, IndexThreadSetup } from './thread-messages.js'

export interface IndexThreadOptions extends IndexThreadSetup {
  log: IndexLog
  /** Called once when the thread ended without being closed, before its calls are rejected. */
  onDeath(reason: Error): void
  url?: URL
}

/** The thread ended, so that nothing answers any more. */
export class IndexThreadDied extends Error {
  override name = 'IndexThreadDied'
}

const notYet: LiveStats = {
  entries: 0,
  vectors: 0,
  terms: 0,
  bytes: 0,
  change: 0,
  saved: 0,
  state: 'rebuilding',
}

function defaultThreadUrl(): URL {
  return threadUrl({
    from: import.meta.url,
    source: './index-thread.ts',
    bundle: './index-thread.js',
    cached: '../bin/index-thread.js',
  })
}

/**
 * An index in a thread of its own; its rows, entries and filter are those of the collection that it is started with. Every call throws `IndexThreadDied` once the thread has ended; changes
 * are dropped then.
 */
export function startIndexThread<Row, E extends Entry, Filter>(
  options: IndexThreadOptions,
): LiveIndex<Row, E, Filter> {
  const thread = openThread(options)
  // Answers that come together are worked on one after another, with turns for others between them.
  const turns = new LoopBudget()
  return {
    upsert: entry => thread.tell({ type: 'upsert', entry }),
    apply: rows => thread.ask('apply', rows),
    // A view of a larger buffer would take all of it along.
    setVector: (id, vector) => thread.tell({ type: 'vector', id, vector: vector.slice() }),
    remove: id => thread.tell({ type: 'remove', id }),
    search: async query => {
      const turn = turns.begin()
      const hits = await thread.ask('search', { ...query, vector: query.vector?.slice() })
      await turn.breathe()
      return hits
    },
    // Nobody who asks whether the daemon is ready waits for the thread to start.
    stats: async () => (thread.isUp() ? thread.ask('stats') : notYet),
    settled: () => thread.ask('settled'),
    use: model => thread.ask('use', { provider: model.provider, model: model.model }),
    check: (after, limit) => thread.ask('check', after, limit),
    lacking: (what, ids) => thread.ask('lacking', what, ids),
    rebuild: () => thread.ask('rebuild'),
    save: () => thread.ask('save'),
    drop: () => void thread.terminate(),
    close: thread.close,
  }
}

/** The way to the thread and back. */
interface Thread {
  /** Whether it runs. */
  isUp(): boolean
  tell(request: IndexRequest): void
  /** @throws IndexThreadDied when it ended before it answered. */
  ask<Name extends IndexCall>(
    name: Name,
    ...given: Parameters<IndexCalls[Name]>
  ): Promise<ReturnType<IndexCalls[Name]>>
  /** Ends it at once. */
  terminate(): Promise<void>
  /** Ends it when it has done what it was asked to. */
  close(): Promise<void>
}

function openThread({
  collection,
  database,
  snapshot,
  segments,
  log,
  onDeath,
  url,
}: IndexThreadOptions): Thread {
  const setup: IndexThreadSetup = { collection, database, snapshot, segments }
  const worker = (url === undefined && begunThread(setup)) || newThread(setup, url)
  const calls = createCalls<unknown>()
  const life = { up: false, closing: false, ended: undefined as IndexThreadDied | undefined }
  onEnd(worker, message => {
    if (life.ended) return
    life.ended = new IndexThreadDied(message)
    if (!life.closing) onDeath(life.ended)
    calls.rejectAll(life.ended)
  })
  worker.on('message', (reply: IndexReply) => {
    if (reply.type === 'up') life.up = true
    else if (reply.type === 'log') log[reply.level](reply.fields, reply.text)
    else if (reply.type === 'error') calls.reject(reply.call, reply.error)
    else calls.resolve(reply.call, reply.answer)
  })
  const tell = (request: IndexRequest): void => worker.postMessage(request)
  const ask: Thread['ask'] = async (name, ...given) => {
    if (life.ended) throw life.ended
    const answer = await calls.open(call => tell({ type: 'call', call, name, given }))
    return answer as ReturnType<IndexCalls[typeof name]>
  }
  const terminate = async (): Promise<void> => {
    life.closing = true
    await endThread(worker)
  }
  const close = async (): Promise<void> => {
    life.closing = true
    try {
      if (!life.ended) await ask('close')
    } catch (error) {
      log.warn({ err: error }, 'the index was not closed in order; the next start makes up for it')
    } finally {
      await terminate()
    }
  }
  return { isUp: () => life.up, tell, ask, terminate, close }
}

/** One that was begun with the process, and has read some of the snapshot by now. */
function begunThread(setup: IndexThreadSetup): Worker | undefined {
  const worker = setup.collection === 'memories' ? takeBegunThread(setup.snapshot) : undefined
  worker?.postMessage({ type: 'begin', setup } satisfies IndexRequest)
  return worker
}

function newThread(setup: IndexThreadSetup, url = defaultThreadUrl()): Worker {
  return startThread(url, { resourceLimits: threadLimits, workerData: setup })
}

/** Says, once or more often, that nothing will answer any more, and why. */
function onEnd(worker: Worker, tell: (message: string) => void): void {
  worker.on('error', error => tell(`the thread of the index broke: ${error.message}`))
  worker.on('messageerror', error => void endThread(worker).then(() => tell(error.message)))
  worker.on('exit', code => tell(`the thread of the index ended (code ${code})`))
}
