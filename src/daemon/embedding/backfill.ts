import type { Logger } from 'pino'
import type { Store } from '../../store/database.js'
import { type Embedder, EmbeddingUnavailable } from '../../store/embedding/embedder.js'
import type { JobRow } from '../../store/tables/jobs.js'
import type { Daemon } from '../daemon.js'
import { embedJob, storeVector } from './embed-now.js'

const batchSize = 16
/** Gaps are turned into jobs this many at a time, so that no transaction is long. */
const gapBatch = 200
const deadlineMs = 60_000
const maxBackoffMs = 30_000

type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'log'>

export interface Backfill {
  /** Looks for work soon; calls while it works are one more look. */
  wake(): void
  close(): Promise<void>
}

interface Run {
  wanted: boolean
  closed: boolean
  failures: number
  working: Promise<void> | undefined
  retry: NodeJS.Timeout | undefined
}

/** Gives vectors to memories that were saved without one: oldest job first, small batches, behind every caller. */
export function createBackfill(deps: Deps): Backfill {
  const run: Run = { wanted: false, closed: false, failures: 0, working: undefined, retry: undefined }
  const wake = (): void => {
    run.wanted = true
    if (run.closed || run.working) return
    clearTimeout(run.retry)
    run.working = work(deps, run).finally(() => {
      run.working = undefined
    })
  }
  return {
    wake,
    close: async () => {
      run.closed = true
      clearTimeout(run.retry)
      await run.working
    },
  }

  async function work(parts: Deps, current: Run): Promise<void> {
    while (current.wanted && !current.closed) {
      current.wanted = false
      try {
        while (!current.closed && (await embedBatch(parts))) current.failures = 0
      } catch (error) {
        if (current.closed) return
        if (!(error instanceof EmbeddingUnavailable))
          parts.log.warn({ err: error }, 'back-fill of embeddings failed')
        current.failures++
        current.retry = setTimeout(wake, backoffMs(current.failures)).unref()
        return
      }
    }
  }
}

/** min(1000 ms * 2^failures, 30000 ms) plus up to 500 ms (spec 1, 3.2). */
function backoffMs(failures: number): number {
  return Math.min(1000 * 2 ** failures, maxBackoffMs) + Math.random() * 500
}

/** @returns whether there was anything to do. @throws EmbeddingUnavailable when the provider is away. */
async function embedBatch(deps: Deps): Promise<boolean> {
  const embedder = deps.embedder()
  if (!embedder.status().available) return false
  const jobs = await leaseJobs(deps, embedder)
  if (jobs.length === 0) return false
  const open = await embedJobs(deps, embedder, jobs)
  if (open.length > 0) await deps.store.tables.jobs.complete(open, deps.clock().toISOString())
  return true
}

async function leaseJobs({ store, clock, newId }: Deps, embedder: Embedder): Promise<JobRow[]> {
  const now = clock().toISOString()
  const due = await store.tables.jobs.lease(embedJob, batchSize, now)
  if (due.length > 0) return due
  const gaps = await store.tables.jobs.memoriesToEmbed(embedder.status(), embedJob, gapBatch)
  if (gaps.length === 0) return []
  await store.transaction(async ({ jobs }) => {
    for (const memoryId of gaps)
      await jobs.enqueue({ id: newId(), kind: embedJob, memoryId, maxAttempts: 5 }, now)
  })
  return store.tables.jobs.lease(embedJob, batchSize, now)
}

/** @returns ids of the jobs that are done; the others went back to the queue. */
async function embedJobs(deps: Deps, embedder: Embedder, jobs: readonly JobRow[]): Promise<string[]> {
  const rows = await deps.store.tables.memories.load(jobs.map(job => job.memory_id))
  const alive = rows.filter(row => row.is_deleted === 0)
  const ids = jobs.map(job => job.id)
  try {
    const texts = alive.map(row => row.content)
    const vectors =
      texts.length > 0 ? await embedder.embed(texts, { kind: 'document', deadlineMs, background: true }) : []
    for (const [position, row] of alive.entries())
      await storeVector(deps, row.id, vectors[position] as Float32Array)
    return ids
  } catch (error) {
    await giveBack(deps.store, ids, error, deps)
    throw error
  }
}

/** A provider that is away says nothing about the job; any other failure counts as an attempt (spec 1, 3.2). */
async function giveBack(
  store: Store,
  ids: readonly string[],
  error: unknown,
  { clock }: { clock: Daemon['clock']; log: Logger },
): Promise<void> {
  const now = clock()
  if (error instanceof EmbeddingUnavailable) return store.tables.jobs.release(ids, now.toISOString())
  const runAfter = new Date(now.getTime() + backoffMs(1)).toISOString()
  await store.tables.jobs.fail(
    ids,
    error instanceof Error ? error.message : String(error),
    runAfter,
    now.toISOString(),
  )
}
