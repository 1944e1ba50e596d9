import { setImmediate as nextTurn } from 'node:timers/promises'
import * as contract from '../../../contract/memory/search.js'
import { untilRested } from '../../../lib/concurrency/in-flight.js'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { EmbeddingUnavailable, unreadText } from '../../../store/embedding/embedder.js'
import type { MemoryCursor } from '../../../store/tables/memory/vectors.js'
import { embedJob, noteUnread, unchangedRows } from '../../ground/embedding/embed-now.js'
import type { Ground } from '../../ground/ground.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { requeueDeadJobs } from '../../platform/jobs/leases.js'
import { embedMemories, type UnreadMemory } from './embed-memories.js'

const batchSize = 16
/** Memories embedded or queued together. */
const gapsTogether = 32
/** Memories per query; requests wait while it runs. */
const gapBatch = 200
/** Saved memories that are remembered here; the walk finds further ones. */
const mostSaved = 1000
/** A batch waits until requests rest, since it would take the second core of many machines from them. */
const rest = { restMs: 15, longestMs: 1000 }

type Deps = Pick<
  Ground,
  | 'store'
  | 'index'
  | 'embedder'
  | 'clock'
  | 'newId'
  | 'log'
  | 'configuration'
  | 'telemetry'
  | 'requestsInFlight'
>

/** The walk through memories without a vector, newest first. */
interface GapSearch {
  /** Position; undefined before the newest memory. */
  after: MemoryCursor | undefined
  /** Memories found that still need a vector. */
  found: string[]
  /** Memories saved just now, oldest first. */
  saved: string[]
}

export const vectors: Domain = {
  routes: lateRoutes([contract.exportVectors, contract.embedderStatus], () => import('./routes.js')),
  jobs: [embedJob],
  workers: [createBackfill],
}

/**
 * Embeds memories that were saved without a vector, in small batches with lower priority than requests:
 * queued jobs first, then memories without a vector. It pauses while writes are frozen, since vectors change
 * what recall finds.
 */
function createBackfill(deps: Deps): JobWorker {
  const search: GapSearch = { after: undefined, found: [], saved: [] }
  const worker = createJobWorker(deps, {
    job: embedJob,
    batchSize,
    ready: async () => {
      if (!deps.embedder().status().available) return false
      await untilRested(deps.requestsInFlight, rest)
      if (isFrozen(deps)) return false
      await reviveForModel(deps)
      return true
    },
    jobless: signal => fillGaps(deps, search, signal),
    run: async (jobs, _signal, giveUp) => {
      const subjects = jobs.map(({ subject }) => subject)
      const { unread } = await embedMemories(deps, subjects)
      if (unread.length === 0) return
      const ids = new Set((await unchangedRows(deps.store.tables, unread)).map(({ id }) => id))
      for (const job of jobs) if (ids.has(job.subject)) giveUp(job, unreadText)
    },
    // An unreachable provider does not count as a failure of the job.
    isOutage: error => error instanceof EmbeddingUnavailable,
  })
  return {
    ...worker,
    hear: () => worker.wake(),
    wake: memoryId => {
      if (memoryId !== undefined) noteSaved(search, memoryId)
      worker.wake()
    },
  }
}

function noteSaved(search: GapSearch, memoryId: string): void {
  if (search.saved.length < mostSaved) search.saved.push(memoryId)
  // These are too many to remember: the walk begins again and finds them.
  else Object.assign(search, { after: undefined, found: [], saved: [] })
}

/** Another model may embed what the last one could not: a model change resets failed jobs. */
async function reviveForModel(deps: Deps): Promise<void> {
  const { provider, model } = deps.embedder().status()
  const { meta } = deps.store.tables
  const present = `${provider} ${model}`
  if ((await meta.lastEmbeddingModel()) === present) return
  await requeueDeadJobs(deps, embedJob.kind)
  await meta.noteEmbeddingModel(present)
}

/**
 * Handles a few memories without a vector: first those saved just now, whose first attempt needs no job. The
 * built-in model embeds all of them here without jobs; after a kill they are found again. Other providers use
 * jobs, which count attempts.
 * @returns whether there may be more. @throws EmbeddingUnavailable when the provider is unreachable.
 */
async function fillGaps(deps: Deps, search: GapSearch, signal: AbortSignal): Promise<boolean> {
  const saved = search.saved.slice(0, batchSize)
  if (saved.length > 0) {
    await embedHere(deps, saved, signal)
    search.saved = search.saved.filter(id => !saved.includes(id))
    return true
  }
  if (search.found.length === 0 && !(await findGaps(deps, search))) return false
  const ids = search.found.slice(0, gapsTogether)
  if (deps.embedder().status().provider === 'static') await embedHere(deps, ids, signal)
  else await queueEmbedding(deps, ids)
  search.found.splice(0, ids.length)
  return true
}

async function embedHere(deps: Deps, ids: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    const { unread } = await embedMemories(deps, ids)
    if (unread.length > 0) await leaveUnread(deps, unread)
  } catch (error) {
    if (error instanceof EmbeddingUnavailable || storageFault(error) !== undefined || signal.aborted)
      throw error
    // One of the rows caused the error; jobs find out which.
    deps.log.warn({ err: error }, 'vectors not made')
    await queueEmbedding(deps, ids)
  }
}

/** Finds the next memories without a vector. @returns whether there are any. */
async function findGaps(deps: Deps, search: GapSearch): Promise<boolean> {
  const { vectors } = deps.store.tables
  const fromNewest = search.after === undefined
  if (fromNewest && !(await vectors.mayHaveGaps(deps.embedder().status(), embedJob.kind))) return false
  for (;;) {
    const model = deps.embedder().status()
    const { ids, next } = await vectors.memoriesToEmbed(model, embedJob.kind, gapBatch, search.after)
    search.after = next
    if (ids.length > 0) {
      search.found = ids
      return true
    }
    // Memories saved during the walk are newer than its start, so it begins again.
    if (!next) return fromNewest ? false : findGaps(deps, search)
    await nextTurn()
  }
}

async function leaveUnread(deps: Deps, unread: readonly UnreadMemory[]): Promise<void> {
  await deps.store.write({ until: 'committed', shared: true, rows: unread.length }, async tables => {
    const ids = (await unchangedRows(tables, unread)).map(({ id }) => id)
    // A changed memory may have a failed job of its earlier text.
    await tables.jobs.settle(embedJob.kind, ids, deps.clock().toISOString())
    await noteUnread(deps, tables, ids)
  })
}

/** Jobs lost in a power cut are found again, like the missing vectors. */
async function queueEmbedding(deps: Deps, memoryIds: readonly string[]): Promise<void> {
  await deps.store.write({ until: 'committed', shared: true, rows: memoryIds.length }, async ({ jobs }) => {
    for (const id of memoryIds) await jobs.enqueue(newJob(deps, embedJob, id), deps.clock().toISOString())
  })
}
