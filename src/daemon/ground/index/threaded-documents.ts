import { Worker } from 'node:worker_threads'
import { createCalls } from '../../../lib/calls.js'
import { LoopBudget } from '../../../lib/loop-budget.js'
import { threadUrl } from '../../../lib/thread-url.js'
import type { IndexCall, IndexCalls, IndexReply, IndexRequest, IndexThreadSetup } from './index-messages.js'
import type { IndexLog, LiveStats } from './live-documents.js'
import type { MemoryDocuments } from './memory-documents.js'

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

const notYet: LiveStats = { documents: 0, vectors: 0, terms: 0, bytes: 0, change: 0, state: 'rebuilding' }

function defaultThreadUrl(): URL {
  return threadUrl({ from: import.meta.url, source: './index-thread.ts', bundle: './index-thread.js' })
}

/**
 * The index of memories in a thread of its own. Every call throws `IndexThreadDied` once the thread has ended; changes
 * are dropped then.
 */
export function startIndexThread(options: IndexThreadOptions): MemoryDocuments {
  const { database, snapshot, log, onDeath, url = defaultThreadUrl() } = options
  const worker = new Worker(url, { workerData: { database, snapshot } satisfies IndexThreadSetup })
  const calls = createCalls<unknown>()
  // Answers that come together are worked on one after another, with turns for others between them.
  const turns = new LoopBudget()
  const life = { up: false, closing: false, ended: undefined as IndexThreadDied | undefined }
  const end = (message: string): void => {
    if (life.ended) return
    life.ended = new IndexThreadDied(message)
    if (!life.closing) onDeath(life.ended)
    calls.rejectAll(life.ended)
  }
  worker.on('message', (reply: IndexReply) => {
    if (reply.type === 'up') life.up = true
    else if (reply.type === 'log') log[reply.level](reply.fields, reply.text)
    else if (reply.type === 'error') calls.reject(reply.call, reply.error)
    else calls.resolve(reply.call, reply.answer)
  })
  worker.on('error', error => end(`the thread of the index broke: ${error.message}`))
  worker.on('messageerror', error => void worker.terminate().then(() => end(error.message)))
  worker.on('exit', code => end(`the thread of the index ended (code ${code})`))

  const send = (request: IndexRequest): void => worker.postMessage(request)
  const ask = async <Name extends IndexCall>(
    name: Name,
    ...given: Parameters<IndexCalls[Name]>
  ): Promise<ReturnType<IndexCalls[Name]>> => {
    if (life.ended) throw life.ended
    const answer = await calls.open(call => send({ type: 'call', call, name, given }))
    return answer as ReturnType<IndexCalls[Name]>
  }
  return {
    upsert: document => send({ type: 'upsert', document }),
    apply: rows => ask('apply', rows),
    // A view of a larger buffer would take all of it along.
    setVector: (id, vector) => send({ type: 'vector', id, vector: vector.slice() }),
    remove: id => send({ type: 'remove', id }),
    search: async query => {
      const turn = turns.begin()
      const hits = await ask('search', { ...query, vector: query.vector?.slice() })
      await turn.breathe()
      return hits
    },
    // Nobody who asks whether the daemon is ready waits for the thread to start.
    stats: async () => (life.up ? ask('stats') : notYet),
    settled: () => ask('settled'),
    use: model => ask('use', { provider: model.provider, model: model.model }),
    save: () => ask('save'),
    drop: () => {
      life.closing = true
      void worker.terminate()
    },
    close: async () => {
      life.closing = true
      try {
        if (!life.ended) await ask('close')
      } catch (error) {
        log.warn({ err: error }, 'the index was not closed in order; the next start makes up for it')
      } finally {
        await worker.terminate()
      }
    },
  }
}
