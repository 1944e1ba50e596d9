import { setImmediate as nextTurn } from 'node:timers/promises'
import { storageFault } from '../../../lib/files/storage-fault.js'
import { EmbeddingUnavailable, unreadText } from '../../../store/embedding/embedder.js'
import type { MemoryCursor } from '../../../store/tables/memory/vectors.js'
import { embedJob, noteUnread, stillSame } from '../../ground/embedding/embed-now.js'
import type { Ground } from '../../ground/ground.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { requeueDeadJobs } from '../../platform/jobs/leases.js'
import { embedMemories, type UnreadMemory } from './embed-memories.js'

const batchSize = 16
/** Memories that get their vectors by the model of this package, or their jobs, together. */
const gapsTogether = 32
/** Memories that one query looks at: requests wait for it. */
const gapBatch = 200
/** Of a wait for a moment in which nobody is served. */
const longestWaitMs = 50

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
  /** Where it stands; undefined before the newest. */
  after: MemoryCursor | undefined
  /** What it found and nobody has made vectors of yet. */
  found: string[]
}

/**
 * Gives vectors to memories that were saved without one, small batches behind every caller: those of jobs first, then
 * those that lack one. It waits while mutations are frozen: vectors are derived, but they change what recall finds.
 */
export function createBackfill(deps: Deps): JobWorker {
  const search: GapSearch = { after: undefined, found: [] }
  const worker = createJobWorker(deps, {
    job: embedJob,
    batchSize,
    ready: async () => {
      if (isFrozen(deps) || !deps.embedder().status().available) return false
      await reviveForModel(deps)
      return true
    },
    jobless: signal => fillGaps(deps, search, signal),
    run: async (jobs, signal, giveUp) => {
      await calm(deps, signal)
      const subjects = jobs.map(({ subject }) => subject)
      const { unread } = await embedMemories(deps, subjects)
      if (unread.length === 0) return
      const ids = new Set((await stillSame(deps.store.tables, unread)).map(({ id }) => id))
      for (const job of jobs) if (ids.has(job.subject)) giveUp(job, unreadText)
    },
    // When the provider is away, the job is not to blame.
    isOutage: error => error instanceof EmbeddingUnavailable,
  })
  return { ...worker, hear: () => worker.wake() }
}

/** Waits for a moment in which nobody is served, but not for long. */
async function calm({ requestsInFlight }: Deps, signal: AbortSignal): Promise<void> {
  await requestsInFlight.quiet(AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)]))
}

/** What one model could not embed, another may: a change gives dead jobs their attempts back. */
async function reviveForModel(deps: Deps): Promise<void> {
  const { provider, model } = deps.embedder().status()
  const { meta } = deps.store.tables
  const present = `${provider} ${model}`
  if ((await meta.lastEmbeddingModel()) === present) return
  await requeueDeadJobs(deps, embedJob.kind)
  await meta.noteEmbeddingModel(present)
}

/**
 * Sees to a few memories that lack a vector. The model of this package makes it here, without a job for each: what a kill
 * takes is found to be missing again. Another provider has jobs, which count how often a text was tried.
 * @returns whether there may be others. @throws EmbeddingUnavailable when the provider is away.
 */
async function fillGaps(deps: Deps, search: GapSearch, signal: AbortSignal): Promise<boolean> {
  if (search.found.length === 0 && !(await findGaps(deps, search))) return false
  const ids = search.found.slice(0, gapsTogether)
  if (deps.embedder().status().provider === 'static') await embedHere(deps, ids, signal)
  else await queueEmbedding(deps, ids)
  search.found.splice(0, ids.length)
  return true
}

async function embedHere(deps: Deps, ids: readonly string[], signal: AbortSignal): Promise<void> {
  await calm(deps, signal)
  try {
    const { unread } = await embedMemories(deps, ids)
    if (unread.length > 0) await leaveUnread(deps, unread)
  } catch (error) {
    if (error instanceof EmbeddingUnavailable || storageFault(error) !== undefined || signal.aborted)
      throw error
    // One of them is to blame, by what its row holds: jobs find out which.
    deps.log.warn({ err: error }, 'vectors not made')
    await queueEmbedding(deps, ids)
  }
}

/** Goes on to the next memories that lack a vector. @returns whether there are any. */
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
    // What was saved while this went on is newer than where it began.
    if (!next) return fromNewest ? false : findGaps(deps, search)
    await nextTurn()
  }
}

async function leaveUnread(deps: Deps, unread: readonly UnreadMemory[]): Promise<void> {
  await deps.store.write({ until: 'committed', shared: true, rows: unread.length }, async tables => {
    const ids = (await stillSame(tables, unread)).map(({ id }) => id)
    // A memory that was changed may have a job that was given up before.
    await tables.jobs.settle(embedJob.kind, ids, deps.clock().toISOString())
    await noteUnread(deps, tables, ids)
  })
}

/** Jobs that a power cut takes are found to be missing again, like the vectors that they are for. */
async function queueEmbedding(deps: Deps, memoryIds: readonly string[]): Promise<void> {
  await deps.store.write({ until: 'committed', shared: true, rows: memoryIds.length }, async ({ jobs }) => {
    for (const id of memoryIds) await jobs.enqueue(newJob(deps, embedJob, id), deps.clock().toISOString())
  })
}
