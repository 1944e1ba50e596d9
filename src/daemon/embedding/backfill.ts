import { type Embedder, EmbeddingRefused, EmbeddingUnavailable } from '../../store/embedding/embedder.js'
import type { JobRow } from '../../store/tables/jobs.js'
import type { Daemon } from '../daemon.js'
import { createJobWorker, type JobWorker } from '../jobs/job-worker.js'
import { embedJob, newEmbedJob, storeVector } from './embed-now.js'

const batchSize = 16
/** Gaps are turned into jobs this many at a time, so that no transaction is long. */
const gapBatch = 200
const deadlineMs = 60_000
/** What every provider that works takes. */
const controlText = 'ok'

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'log'>

/** Gives vectors to memories that were saved without one: oldest job first, small batches, behind every caller. */
export function createBackfill(deps: Deps): JobWorker {
  return createJobWorker(deps, {
    kind: embedJob,
    batchSize,
    ready: () => deps.embedder().status().available,
    refill: () => queueGaps(deps, deps.embedder()),
    run: jobs => embedJobs(deps, deps.embedder(), jobs),
    // A provider that is away says nothing about the job.
    isOutage: error => error instanceof EmbeddingUnavailable,
  })
}

async function queueGaps(deps: Deps, embedder: Embedder): Promise<boolean> {
  const gaps = await deps.store.tables.jobs.memoriesToEmbed(embedder.status(), embedJob, gapBatch)
  if (gaps.length === 0) return false
  await deps.store.transaction(async ({ jobs }) => {
    for (const memoryId of gaps) await jobs.enqueue(newEmbedJob(deps, memoryId), deps.clock().toISOString())
  })
  return true
}

/** @throws EmbeddingUnavailable when the provider is away, EmbeddingRefused when it does not take one of the texts. */
async function embedJobs(deps: Deps, embedder: Embedder, jobs: readonly JobRow[]): Promise<void> {
  const rows = await deps.store.tables.memories.load(jobs.map(job => job.memory_id))
  const alive = rows.filter(row => row.is_deleted === 0)
  if (alive.length === 0) return
  const texts = alive.map(row => row.content)
  const vectors = await embedTexts(embedder, texts)
  for (const [position, row] of alive.entries())
    await storeVector(deps, row, vectors[position] as Float32Array)
}

/** A provider that refuses even a plain word has a wrong setting: that is an outage, and no text is to blame. */
async function embedTexts(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const options = { kind: 'document', deadlineMs, background: true } as const
  try {
    return await embedder.embed(texts, options)
  } catch (refused) {
    if (!(refused instanceof EmbeddingRefused)) throw refused
    await embedder.embed([controlText], options).catch(error => {
      throw new EmbeddingUnavailable(error.message, { cause: error })
    })
    throw refused
  }
}
