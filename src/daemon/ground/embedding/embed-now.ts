import {
  type EmbeddedText,
  type Embedder,
  EmbeddingRefused,
  EmbeddingUnavailable,
  unreadText,
} from '../../../store/embedding/embedder.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { sameModel, type VectorModel } from '../../../store/tables/memory/vectors.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../ground.js'
import { isHidden } from '../index/memory-entries.js'
import { type JobKind, newJob } from '../jobs/job-kind.js'

/** Computes the vector of the memory that is the job's subject. */
export const embedJob: JobKind = { kind: 'embed', maxAttempts: 5, workload: 'indexing' }

type Deps = Pick<
  Ground,
  'store' | 'index' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** A vector computed before its memory is stored, with its model. */
export interface ReadyVector extends VectorModel {
  vector: Float32Array
}

/** Reasons for a missing vector: the model can never embed the text, or the deadline passed. */
export type NoVector = 'unread' | 'late'

const deadlineMs = 60_000
/** A text that every working provider accepts. */
const controlText = 'ok'

export function isReadyVector(result: ReadyVector | NoVector | undefined): result is ReadyVector {
  return typeof result === 'object'
}

/**
 * Computes the vector before the memory is stored if the bundled model is in use, which takes under a
 * millisecond. Memory and vector then share one write to the disk. Never fails.
 * @returns undefined for other providers: an unsaved memory must not wait for them.
 */
export async function embedAhead(
  deps: Pick<Ground, 'embedder' | 'configuration' | 'log'>,
  text: string,
): Promise<ReadyVector | NoVector | undefined> {
  const { provider, available } = deps.embedder().status()
  return provider === 'static' && available ? vectorInTime(deps, text) : undefined
}

/**
 * Marks memories the current model can never embed as failed jobs, so that back-fill skips them. Runs in the
 * caller's transaction.
 */
export async function noteUnread(
  deps: Pick<Ground, 'newId' | 'clock'>,
  { jobs }: Pick<Tables, 'jobs'>,
  memoryIds: readonly string[],
): Promise<void> {
  const given = memoryIds.map(id => newJob(deps, embedJob, id))
  await jobs.addGivenUp(given, unreadText, deps.clock().toISOString())
}

/**
 * Tries to embed a saved memory while its caller waits for a provider; otherwise queues a job (rules.md 0.2).
 * A model on this machine makes it in the background, since it would slow down each save. Never fails: the
 * memory is saved and keyword search finds it either way.
 * @returns whether the vector is stored.
 */
export async function embedNow(deps: Deps, row: Pick<MemoryRow, 'id' | 'content'>): Promise<boolean> {
  const { available, provider } = deps.embedder().status()
  if (provider === 'local') {
    // Without a job: a row for it would be written and changed twice more. After a kill back-fill finds it.
    deps.wake(embedJob, row.id)
    return false
  }
  const result = await vectorInTime(deps, row.content)
  // During a provider outage saves queue no jobs: back-fill finds memories without a vector later.
  if (result === 'late' && !available) return false
  try {
    if (isReadyVector(result)) return await storeVector(deps, result, { ...row, vector: result.vector })
  } catch (error) {
    deps.log.warn({ err: error, memory: row.id }, 'vector not stored')
  }
  await embedLater(deps, row)
  return false
}

/** Queues a job for the vector of a memory. Never fails. */
export async function embedLater(deps: Deps, row: Pick<MemoryRow, 'id'>): Promise<void> {
  try {
    await deps.store.tables.jobs.enqueue(newJob(deps, embedJob, row.id), deps.clock().toISOString())
    deps.wake(embedJob)
  } catch (error) {
    // Back-fill also finds memories without a job.
    deps.log.warn({ err: error, memory: row.id }, 'embed job not queued')
  }
}

/** Computes a vector within the configured deadline. Never fails. */
export async function vectorInTime(
  { embedder, configuration, log }: Pick<Ground, 'embedder' | 'configuration' | 'log'>,
  text: string,
): Promise<ReadyVector | NoVector> {
  const { provider, model, available, state } = embedder().status()
  if (!available) {
    if (state !== 'off') embedder().warm()
    return 'late'
  }
  try {
    const { deadlineMs } = configuration().settings.embedding
    const [vector] = await embedder().embed([text], { kind: 'document', deadlineMs })
    return vector ? { vector, provider, model } : 'unread'
  } catch (error) {
    const expected = error instanceof EmbeddingUnavailable || error instanceof EmbeddingRefused
    if (!expected) log.warn({ err: error }, 'embedding failed')
    return 'late'
  }
}

/**
 * Stores a vector, completes the memory's embed jobs in the same transaction, and updates the index. A crash
 * therefore never leaves a failed job beside a stored vector.
 * @returns false if the memory is gone, its text changed, or another model is now in use.
 */
export async function storeVector(
  deps: Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>,
  model: VectorModel,
  result: MadeVector,
): Promise<boolean> {
  const stored = await deps.store.transaction(tables => putVectors(deps, tables, model, [result]))
  return indexed(deps, stored) === 1
}

/** A vector and the content it was computed from. */
interface MadeVector extends Pick<MemoryRow, 'id' | 'content'> {
  vector: Float32Array
}

/**
 * Stores the vectors of a job in one transaction without waiting for the disk: lost vectors are recomputed.
 * @param model the model that computed them. @returns the number stored.
 */
export async function storeVectors(
  deps: Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>,
  model: VectorModel,
  result: readonly MadeVector[],
): Promise<number> {
  return indexed(
    deps,
    await deps.store.write({ until: 'committed', shared: true, rows: result.length }, tables =>
      putVectors(deps, tables, model, result),
    ),
  )
}

async function putVectors(
  { embedder, clock }: Pick<Ground, 'embedder' | 'clock'>,
  tables: Tables,
  by: VectorModel,
  result: readonly MadeVector[],
): Promise<MadeVector[]> {
  if (!sameModel(by, embedder().status())) return []
  const { provider, model } = by
  const stored = await unchangedRows(tables, result)
  if (stored.length === 0) return []
  const now = clock().toISOString()
  const firstChange = await tables.meta.nextChanges(stored.length)
  await tables.vectors.put(
    stored.map(({ id: memoryId, vector }) => ({ memoryId, provider, model, vector })),
    now,
  )
  for (const [place, { id }] of stored.entries())
    await tables.memories.setEmbeddingModel(id, model, firstChange + place)
  await tables.jobs.settle(
    embedJob.kind,
    stored.map(({ id }) => id),
    now,
  )
  return stored
}

/** Filters out rows whose memory was changed or forgotten since they were read. */
export async function unchangedRows<Row extends Pick<MemoryRow, 'id' | 'content'>>(
  { memories }: Pick<Tables, 'memories'>,
  looked: readonly Row[],
): Promise<Row[]> {
  const present = new Map((await memories.load(looked.map(({ id }) => id))).map(row => [row.id, row]))
  return looked.filter(({ id, content }) => {
    const row = present.get(id)
    return row && !isHidden(row) && row.content === content
  })
}

function indexed({ index }: Pick<Ground, 'index'>, stored: readonly MadeVector[]): number {
  for (const { id, vector } of stored) index.setVector(id, vector)
  return stored.length
}

/**
 * Embeds texts in one low-priority provider call. A provider that refuses even a plain word is misconfigured:
 * that counts as an outage, not as a fault of the texts.
 * @throws EmbeddingUnavailable during an outage, EmbeddingRefused when it rejects one of the texts.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<EmbeddedText[]> {
  const options = { kind: 'document', deadlineMs, background: true, ...(signal && { signal }) } as const
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
