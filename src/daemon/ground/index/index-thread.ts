import { parentPort, workerData } from 'node:worker_threads'
import { deferred } from '../../../lib/concurrency/deferred.js'
import { systemTimers } from '../../../lib/time/timers.js'
import { collectGarbage, IdleRests } from '../../../lib/v8/collect-garbage.js'
import type { Entry } from '../../../store/index/collection.js'
import { memories } from '../../../store/index/collections.js'
import { readAhead } from '../../../store/index/orama/read-ahead.js'
import { joinTexts } from '../../../store/index/packed/packed-hits.js'
import type { ShardSearch } from '../../../store/index/shards/shard.js'
import { openReader } from '../../../store/sqlite/database.js'
import { createLiveArtifacts } from './artifact-entries.js'
import type { IndexLog } from './index-source.js'
import type { LiveShard } from './live-index.js'
import { createLiveMemories, type LiveMemoriesOptions } from './memory-entries.js'
import { threadFromOf } from './thread-from.js'
import type {
  IndexCall,
  IndexCalls,
  IndexChange,
  IndexReply,
  IndexRequest,
  IndexThreadAhead,
  IndexThreadSetup,
} from './thread-messages.js'
import { createLiveTranscripts } from './transcript-entries.js'

const given: IndexThreadSetup | IndexThreadAhead = workerData

const restLookMs = 10_000

type ServedIndex = LiveShard<unknown, Entry, unknown>
type Answers = {
  [Name in IndexCall]: (...given: Parameters<IndexCalls[Name]>) => Promise<ReturnType<IndexCalls[Name]>>
}

/** Resolves after the first fill: the start of the daemon waits for it. */
export const filled: Promise<void> = 'ahead' in given ? begunAhead(given) : serveIndex(given)

/** Reads the snapshot of memories before the thread receives its setup. */
function begunAhead({ ahead, choice }: IndexThreadAhead): Promise<void> {
  const reading = readAhead(ahead, memories, { from: threadFromOf(choice) })
  return new Promise(resolve => {
    // Messages after the first one are handled by `serveIndex`.
    parentPort?.once('message', (request: IndexRequest) => {
      if (request.type === 'begin') resolve(serveIndex(request.setup, reading))
    })
  })
}

type Call = Extract<IndexRequest, { type: 'call' }>

/**
 * Serves requests of the daemon to an index in this thread. @param ahead the part of its snapshot read so
 * far.
 * @returns a promise that resolves after the first fill.
 */
function serveIndex(
  { collection, database, snapshot, segments, shard }: IndexThreadSetup,
  ahead?: LiveMemoriesOptions['ahead'],
): Promise<void> {
  const reader = openReader(database)
  const options = {
    store: reader,
    file: snapshot,
    log: { debug: toLog('debug'), info: toLog('info'), warn: toLog('warn') },
  }
  /** Messages are not validated: the sender knows the types of its collection. */
  const open = {
    memories: () => createLiveMemories({ ...options, ahead, shard }),
    artifacts: () => createLiveArtifacts(options),
    transcripts: () => createLiveTranscripts({ ...options, segments }),
  }
  const index = open[collection]() as unknown as ServedIndex
  const { answers, filled } = answersOf(index, reader.close)
  // Each thread has its own heap, and only this thread can collect the garbage of its searches.
  const rests = new IdleRests({ rest: collectGarbage })
  systemTimers.every(restLookMs, () => rests.look())
  parentPort?.on('message', (request: IndexRequest) => {
    if (request.type === 'begin') return
    if (
      request.type !== 'call' ||
      request.name === 'search' ||
      request.name === 'shard' ||
      request.name === 'apply'
    )
      rests.worked()
    if (request.type === 'call') void answer(answers, request)
    else for (const one of request.changes) change(index, one)
  })
  send({ type: 'up' })
  return filled
}

function answersOf(
  index: ServedIndex,
  closeReader: () => Promise<void>,
): { answers: Answers; filled: Promise<void> } {
  const first = deferred<void>()
  /** All fills in progress: each reads the database until its next slice, even after the index is closed. */
  const fillings = new Set<Promise<void>>()
  const fill = async (filling: Promise<void>): Promise<void> => {
    fillings.add(filling)
    await filling.finally(() => fillings.delete(filling))
    first.resolve()
  }
  const answers: Answers = {
    search: async query => joinTexts(await index.search(query)),
    apply: index.apply,
    catchUp: index.catchUp,
    shard: shardSteps(index),
    stats: index.stats,
    settled: index.settled,
    use: model => fill(index.use(model)),
    check: index.check,
    lacking: index.lacking,
    rebuild: () => fill(index.rebuild()),
    save: index.save,
    close: async () => {
      await index.close()
      await Promise.allSettled(fillings)
      await closeReader()
    },
  }
  return { answers, filled: first.promise }
}

/** Serves the steps of one search after another. */
function shardSteps(index: Pick<ServedIndex, 'beginShard'>): Answers['shard'] {
  let running: ShardSearch | undefined
  return async (step, given) => {
    if (step === 'begin') {
      running?.end()
      const [filter, ...rest] = given
      running = await index.beginShard(filter)
      return running.begin(...(rest as Parameters<ShardSearch['begin']>))
    }
    if (!running) throw new Error(`no search of this shard has begun: ${step}`)
    return (running[step] as (...given: readonly unknown[]) => unknown)(...given)
  }
}

function change(index: ServedIndex, one: IndexChange): void {
  try {
    if (one.type === 'upsert') index.upsert(one.entry)
    else if (one.type === 'vector') index.setVector(one.id, one.vector)
    else index.remove(one.id, one.before)
  } catch (error) {
    toLog('warn')({ err: error }, 'index change not applied')
  }
}

async function answer(answers: Answers, { call, name, given }: Call): Promise<void> {
  try {
    send({
      type: 'answer',
      call,
      answer: await (answers[name] as (...given: readonly unknown[]) => Promise<unknown>)(...given),
    })
  } catch (error) {
    send({ type: 'error', call, error: error instanceof Error ? error : new Error(String(error)) })
  }
}

function toLog(level: keyof IndexLog): IndexLog['info'] {
  return (fields, text) => send({ type: 'log', level, fields, text })
}

function send(reply: IndexReply): void {
  parentPort?.postMessage(reply)
}
