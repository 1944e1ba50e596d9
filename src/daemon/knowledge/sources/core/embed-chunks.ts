import { EmbeddingRefused, EmbeddingUnavailable } from '../../../../store/embedding/embedder.js'
import type { SourceChunkToIndex } from '../../../../store/tables/knowledge/source-chunks.js'
import { embedTexts } from '../../../ground/embedding/embed-now.js'
import { chunkEntryId, chunkWithPath } from '../../../ground/index/artifact-entries.js'
import { type JobKind, newJob } from '../../../ground/jobs/job-kind.js'
import { isFrozen } from '../../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createJobWorker, type JobWorker } from '../../../platform/jobs/job-worker.js'

/**
 * Failures of a single text after which it is stored without a vector. The third failure opens the embedder's
 * breaker; the embedder's own probe closes it again, because the provider answers for other texts.
 */
const mostFailures = 4

/**
 * Finds the text on which a provider fails while it accepts others: failed batches are halved, and a text
 * that failed alone is tried after the others.
 */
export class DoubtfulTexts {
  readonly #failures = new Map<string, number>()
  readonly #most: number
  #size: number

  /** @param most texts of one batch */
  constructor(most: number) {
    this.#most = most
    this.#size = most
  }

  /** Returns how many texts the caller must load so that a full batch can be chosen. */
  toLookAt(): number {
    return this.#most + this.#failures.size
  }

  /** Chooses the texts to embed next; a single one if only doubtful texts are left. */
  choose<T>(texts: readonly T[], keyOf: (text: T) => string): T[] {
    const sound = texts.filter(text => !this.#failures.has(keyOf(text)))
    return sound.length > 0 ? sound.slice(0, this.#size) : texts.slice(0, 1)
  }

  passed(keys: readonly string[]): void {
    for (const key of keys) this.#failures.delete(key)
    this.#size = Math.min(this.#most, this.#size * 2)
  }

  /** @returns whether the text is to blame; always false for a batch of several */
  failed(keys: readonly string[]): boolean {
    this.#size = Math.max(1, keys.length >> 1)
    const [key] = keys
    if (key === undefined || keys.length > 1) return false
    const failures = (this.#failures.get(key) ?? 0) + 1
    if (failures < mostFailures) this.#failures.set(key, failures)
    else this.#failures.delete(key)
    return failures === mostFailures
  }
}

/** Makes the missing vectors for the chunks of one source, which is the job's subject. */
export const chunkVectorsJob: JobKind = { kind: 'source_vectors', maxAttempts: 5, workload: 'indexing' }

const batchSize = 32

type Deps = Pick<
  Daemon,
  'store' | 'artifactIndex' | 'embedder' | 'clock' | 'newId' | 'log' | 'configuration' | 'telemetry'
>

/**
 * Creates the worker that embeds chunks of artifacts after they are read, a few at a time. While the provider
 * is unavailable it retries with growing pauses; keyword search finds the chunks until then
 * (sources.md#finding).
 */
export function createChunkVectors(deps: Deps): JobWorker {
  const doubtful = new DoubtfulTexts(batchSize)
  const worker = createJobWorker(deps, {
    job: chunkVectorsJob,
    batchSize: 1,
    ready: () => !isFrozen(deps) && deps.embedder().status().available,
    refill: () => queueGaps(deps),
    run: async ([job], signal) => {
      if (job) await embedSource(deps, job.subject, { doubtful, signal })
    },
    isOutage: error => error instanceof EmbeddingUnavailable,
  })
  return { ...worker, hear: () => worker.wake() }
}

/**
 * Queues a job for each source that lacks vectors of the current model.
 * @returns whether there were any
 */
async function queueGaps(deps: Deps): Promise<boolean> {
  const { tables } = deps.store
  const lacking = await tables.sourceChunks.sourcesToEmbed(deps.embedder().status())
  const now = deps.clock().toISOString()
  for (const id of lacking) await tables.jobs.enqueue(newJob(deps, chunkVectorsJob, id), now)
  return lacking.length > 0
}

async function embedSource(
  deps: Deps,
  sourceId: string,
  { doubtful, signal }: { doubtful: DoubtfulTexts; signal: AbortSignal },
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const model = deps.embedder().status()
    if (isFrozen(deps) || !model.available) return
    const waiting = await deps.store.tables.sourceChunks.toEmbed(sourceId, model, doubtful.toLookAt())
    const rows = doubtful.choose(waiting, chunkEntryId)
    if (rows.length === 0) return
    const vectors = await vectorsUnlessBroken(deps, rows, doubtful)
    const stored = await deps.store.write({ until: 'committed' }, async ({ sourceChunks }) => {
      const kept: { id: string; vector: Float32Array }[] = []
      for (const [place, row] of rows.entries()) {
        const vector = vectors[place]
        const isKept = await sourceChunks.putVector(row, model, vector)
        if (isKept && vector) kept.push({ id: chunkEntryId(row), vector })
      }
      return kept
    })
    for (const { id, vector } of stored) deps.artifactIndex.setVector(id, vector)
  }
}

/** @throws EmbeddingUnavailable unless one text is known to be to blame; that text gets no vector */
async function vectorsUnlessBroken(
  deps: Pick<Deps, 'embedder'>,
  rows: readonly SourceChunkToIndex[],
  doubtful: DoubtfulTexts,
): Promise<(Float32Array | undefined)[]> {
  const keys = rows.map(chunkEntryId)
  try {
    const vectors = await vectorsOf(deps, rows)
    doubtful.passed(keys)
    return vectors
  } catch (error) {
    if (error instanceof EmbeddingUnavailable && doubtful.failed(keys)) return [undefined]
    throw error
  }
}

/**
 * Embeds the texts. A refused batch is embedded one by one, so that only the text to blame gets no vector.
 */
async function vectorsOf(
  { embedder }: Pick<Deps, 'embedder'>,
  rows: readonly SourceChunkToIndex[],
): Promise<(Float32Array | undefined)[]> {
  const texts = rows.map(chunkWithPath)
  try {
    return await embedTexts(embedder(), texts)
  } catch (error) {
    if (!(error instanceof EmbeddingRefused)) throw error
    if (texts.length === 1) return [undefined]
    const singly = []
    for (const row of rows) singly.push(...(await vectorsOf({ embedder }, [row])))
    return singly
  }
}
