import type { Worker } from 'node:worker_threads'
import threadLimits from '../../../../bin/thread-limits.json' with { type: 'json' }
import { createCalls } from '../../../lib/concurrency/calls.js'
import { LoopBudget } from '../../../lib/concurrency/loop-budget.js'
import { endThread, freeSlotAtExit, startThread } from '../../../lib/threads/run-protected.js'
import { threadUrl } from '../../../lib/threads/thread-url.js'
import type { Entry } from '../../../store/index/collection.js'
import type { ShardSearch } from '../../../store/index/shards/shard.js'
import type { IndexLog } from './index-source.js'
import type { LiveShard, LiveStats } from './live-index.js'
import type {
  IndexCall,
  IndexCalls,
  IndexChange,
  IndexReply,
  IndexRequest,
  IndexThreadSetup,
  ShardStep,
} from './thread-messages.js'

export interface IndexThreadOptions extends IndexThreadSetup {
  log: IndexLog
  /** Called once if the thread ends without being closed, before its calls are rejected. */
  onDeath(reason: Error): void
  url?: URL
}

interface PreparedThread {
  worker: Worker
  /** Path of the snapshot the thread reads. */
  snapshot: string
  hasEnded: boolean
}

/** Where `bin/begin-index-thread.js` stores the thread it starts before this program is loaded. */
const place = Symbol.for('memory-service.begun-index-thread')
const held = globalThis as { [place]?: PreparedThread | undefined }

/** The thread has ended and answers no more calls. */
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
 * Starts an index in its own thread; rows, entries and filters are those of its collection. Once the thread
 * has ended, calls throw `IndexThreadDied` and changes are dropped.
 */
export function startIndexThread<Row, E extends Entry, Filter>(
  options: IndexThreadOptions,
): LiveShard<Row, E, Filter> {
  const thread = openThread(options)
  // Answers that arrive together are unpacked one at a time, with turns for other work in between.
  const turns = new LoopBudget()
  return {
    upsert: entry => thread.tell({ type: 'upsert', entry }),
    apply: rows => thread.ask('apply', rows),
    catchUp: after => thread.ask('catchUp', after),
    // Copies the vector: sending a view would transfer its whole buffer.
    setVector: (id, vector) => thread.tell({ type: 'vector', id, vector: vector.slice() }),
    remove: (id, before) => thread.tell({ type: 'remove', id, before }),
    search: async query => {
      const turn = turns.begin()
      const hits = await thread.ask('search', { ...query, vector: query.vector?.slice() })
      await turn.breathe()
      return hits
    },
    beginShard: async filter => shardIn(thread, filter),
    // Health checks must not wait for the thread to start.
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

/** A search of one shard whose steps run in its thread. */
function shardIn(thread: Pick<Thread, 'ask'>, filter: unknown): ShardSearch {
  const step = <Name extends Exclude<ShardStep, 'begin' | 'end'>>(name: Name): ShardSearch[Name] =>
    (async (...given: readonly unknown[]) => thread.ask('shard', name, given)) as ShardSearch[Name]
  return {
    begin: async terms =>
      (await thread.ask('shard', 'begin', [filter, terms])) as Awaited<ReturnType<ShardSearch['begin']>>,
    count: step('count'),
    near: step('near'),
    find: step('find'),
    cosines: step('cosines'),
    pack: step('pack'),
    // A thread that has ended holds no rows.
    end: () => void thread.ask('shard', 'end', []).catch(() => undefined),
  }
}

/** The connection to the thread. */
interface Thread {
  /** True if the thread is running. */
  isUp(): boolean
  /** Sends a change, with others of the same moment: a message costs more than an entry. */
  tell(change: IndexChange): void
  /** @throws IndexThreadDied if the thread ended before answering. */
  ask<Name extends IndexCall>(
    name: Name,
    ...given: Parameters<IndexCalls[Name]>
  ): Promise<ReturnType<IndexCalls[Name]>>
  /** Ends the thread at once. */
  terminate(): Promise<void>
  /** Ends the thread after its pending work. */
  close(): Promise<void>
}

function openThread({
  collection,
  database,
  snapshot,
  segments,
  shard,
  log,
  onDeath,
  url,
}: IndexThreadOptions): Thread {
  const setup: IndexThreadSetup = { collection, database, snapshot, segments, shard }
  const worker = (url === undefined && preparedThread(setup)) || newThread(setup, url)
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
  const post = (request: IndexRequest): void => worker.postMessage(request)
  let changes: IndexChange[] = []
  const postChanges = (): void => {
    if (changes.length > 0) post({ type: 'changes', changes })
    changes = []
  }
  const tell: Thread['tell'] = change => {
    if (changes.push(change) === 1) queueMicrotask(postChanges)
  }
  const ask: Thread['ask'] = async (name, ...given) => {
    if (life.ended) throw life.ended
    postChanges()
    const answer = await calls.open(call => post({ type: 'call', call, name, given }))
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
      log.warn({ err: error }, 'index thread did not close cleanly; the next start recovers')
    } finally {
      await terminate()
    }
  }
  return { isUp: () => life.up, tell, ask, terminate, close }
}

/** A thread started ahead of the daemon, which has already read part of the snapshot. */
function preparedThread(setup: IndexThreadSetup): Worker | undefined {
  const worker = setup.collection === 'memories' ? takePreparedThread(setup.snapshot) : undefined
  worker?.postMessage({ type: 'begin', setup } satisfies IndexRequest)
  return worker
}

function newThread(setup: IndexThreadSetup, url = defaultThreadUrl()): Worker {
  return startThread(url, { resourceLimits: threadLimits, workerData: setup })
}

/** Reports, possibly more than once, why the thread can no longer answer. */
function onEnd(worker: Worker, tell: (message: string) => void): void {
  worker.on('error', error => tell(`index thread crashed: ${error.message}`))
  worker.on('messageerror', error => void endThread(worker).then(() => tell(error.message)))
  worker.on('exit', code => tell(`index thread exited (code ${code})`))
}

/** Returns the prepared thread if it reads this snapshot; the thread waits for `begin`. */
function takePreparedThread(snapshot: string): Worker | undefined {
  const begun = held[place]
  if (begun?.snapshot !== snapshot || begun.hasEnded) return undefined
  held[place] = undefined
  return freeSlotAtExit(begun.worker)
}

/** Ends an unused prepared thread. */
export function dropPreparedThread(): void {
  const begun = held[place]
  if (begun) void endThread(begun.worker)
  held[place] = undefined
}
