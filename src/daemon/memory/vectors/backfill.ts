import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmbeddingRefused, EmbeddingUnavailable } from '../../../store/embedding/embedder.js'
import type { MemoryPlace } from '../../../store/tables/platform/jobs.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import type { Ground } from '../../ground/ground.js'
import { newJob } from '../../ground/jobs/job-kind.js'
import { isFrozen } from '../../ground/settings/frozen.js'
import { createJobWorker, type JobWorker } from '../../platform/jobs/job-worker.js'
import { requeueDeadJobs } from '../../platform/jobs/leases.js'
import { embedMemories } from './embed-memories.js'

const batchSize = 16
/** Memories that one query looks at, and that one transaction queues: requests wait for both. */
const gapBatch = 200
const queuedTogether = 25
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

/** Where the walk through memories without a vector stands; undefined before the newest. */
interface GapSearch {
  after: MemoryPlace | undefined
}

/**
 * Gives vectors to memories that were saved without one: oldest job first, small batches, behind every caller. It waits
 * while mutations are frozen: vectors are derived, but they change what recall finds.
 */
export function createBackfill(deps: Deps): JobWorker {
  const search: GapSearch = { after: undefined }
  const worker = createJobWorker(deps, {
    job: embedJob,
    batchSize,
    ready: async () => {
      if (isFrozen(deps) || !deps.embedder().status().available) return false
      await reviveForModel(deps)
      return true
    },
    refill: () => queueGaps(deps, search),
    run: async (jobs, signal) => {
      await deps.requestsInFlight.quiet(AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)]))
      await embedMemories(
        deps,
        jobs.map(({ subject }) => subject),
      )
    },
    // When the provider is away, the job is not to blame.
    isOutage: error => error instanceof EmbeddingUnavailable,
    isLasting: error => error instanceof EmbeddingRefused && error.isLasting,
  })
  return { ...worker, hear: () => worker.wake() }
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

/** Queues jobs for a few memories that lack a vector. @returns whether there were any. */
async function queueGaps(deps: Deps, search: GapSearch): Promise<boolean> {
  const { jobs } = deps.store.tables
  const fromNewest = search.after === undefined
  if (fromNewest && !(await jobs.mayHaveGaps(deps.embedder().status(), embedJob.kind))) return false
  for (;;) {
    const model = deps.embedder().status()
    const { ids, next } = await jobs.memoriesToEmbed(model, embedJob.kind, gapBatch, search.after)
    search.after = next
    if (ids.length > 0) {
      await queueEmbedding(deps, ids)
      return true
    }
    // What was saved while this went on is newer than where it began.
    if (!next) return fromNewest ? false : queueGaps(deps, search)
    await nextTurn()
  }
}

/** Jobs that a power cut takes are found to be missing again, like the vectors that they are for. */
async function queueEmbedding(deps: Deps, memoryIds: readonly string[]): Promise<void> {
  for (let from = 0; from < memoryIds.length; from += queuedTogether) {
    const ids = memoryIds.slice(from, from + queuedTogether)
    await deps.store.repeatable(async ({ jobs }) => {
      for (const id of ids) await jobs.enqueue(newJob(deps, embedJob, id), deps.clock().toISOString())
    }, ids.length)
    await nextTurn()
  }
}
