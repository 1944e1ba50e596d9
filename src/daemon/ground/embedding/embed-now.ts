import { EmbeddingRefused, EmbeddingUnavailable, unreadText } from '../../../store/embedding/embedder.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { sameModel, type VectorModel } from '../../../store/tables/memory/vectors.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../ground.js'
import { isHidden } from '../index/memory-entries.js'
import { type JobKind, newJob } from '../jobs/job-kind.js'

/** Makes the vector of a memory, its subject, later. */
export const embedJob: JobKind = { kind: 'embed', maxAttempts: 5, workload: 'indexing' }

type Deps = Pick<
  Ground,
  'store' | 'index' | 'embedder' | 'wake' | 'clock' | 'newId' | 'log' | 'configuration'
>

/** A vector that was made before its memory is stored, and by what. */
export interface ReadyVector extends VectorModel {
  vector: Float32Array
}

/** Why there is no vector: the model will never take the text, or it was not made in time. */
export type NoVector = 'unread' | 'late'

export function isMade(made: ReadyVector | NoVector | undefined): made is ReadyVector {
  return typeof made === 'object'
}

/**
 * The vector of a text, where the model of this package makes it: within a millisecond and here, so that it is stored
 * with its memory and the disk is waited for once. Never fails.
 * @returns undefined where another provider makes it, which a memory that is not on the disk yet does not wait for.
 */
export async function embedAhead(
  deps: Pick<Ground, 'embedder' | 'configuration' | 'log'>,
  text: string,
): Promise<ReadyVector | NoVector | undefined> {
  const { provider, available } = deps.embedder().status()
  return provider === 'static' && available ? vectorInTime(deps, text) : undefined
}

/**
 * Notes in a transaction that the model in force will never make the vectors of some memories, so that back-fill leaves
 * them alone: their jobs are given up.
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
 * Tries to give a saved memory its vector while its caller waits; otherwise queues a job for it (rules.md 0.2).
 * Never fails: the memory is saved and found by keyword either way.
 * @returns whether the vector is stored.
 */
export async function embedNow(deps: Deps, row: Pick<MemoryRow, 'id' | 'content'>): Promise<boolean> {
  const { available } = deps.embedder().status()
  const made = await vectorInTime(deps, row.content)
  // While the provider is away a save queues nothing: back-fill finds the memories without a vector once it answers.
  if (made === 'late' && !available) return false
  try {
    if (isMade(made)) return await storeVector(deps, made, { ...row, vector: made.vector })
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
    // Back-fill finds the memory without a job as well, when it next looks for gaps.
    deps.log.warn({ err: error, memory: row.id }, 'embed job not queued')
  }
}

/** The vector of a text whose caller waits for it. Never fails. */
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
 * Stores a vector and puts it in the index. Jobs that were to make it are done with it, in one transaction: a kill leaves none
 * that was given up beside its vector.
 * @returns false when the memory is gone by now, or holds another text, or another model is in force.
 */
export async function storeVector(
  deps: Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>,
  model: VectorModel,
  made: MadeVector,
): Promise<boolean> {
  const stored = await deps.store.transaction(tables => putVectors(deps, tables, model, [made]))
  return indexed(deps, stored) === 1
}

/** A vector that was made of the content of a memory. */
interface MadeVector extends Pick<MemoryRow, 'id' | 'content'> {
  vector: Float32Array
}

/**
 * The same for those of a job, in one transaction that does not wait for the disk: what a power cut takes is made again.
 * @param model that made them. @returns how many are stored.
 */
export async function storeVectors(
  deps: Pick<Ground, 'store' | 'index' | 'embedder' | 'clock'>,
  model: VectorModel,
  made: readonly MadeVector[],
): Promise<number> {
  return indexed(
    deps,
    await deps.store.write({ until: 'committed', shared: true, rows: made.length }, tables =>
      putVectors(deps, tables, model, made),
    ),
  )
}

async function putVectors(
  { embedder, clock }: Pick<Ground, 'embedder' | 'clock'>,
  tables: Tables,
  by: VectorModel,
  made: readonly MadeVector[],
): Promise<MadeVector[]> {
  if (!sameModel(by, embedder().status())) return []
  const { provider, model } = by
  const stored = await stillSame(tables, made)
  if (stored.length === 0) return []
  const now = clock().toISOString()
  const firstChange = await tables.meta.nextChanges(stored.length)
  for (const [place, { id: memoryId, vector }] of stored.entries()) {
    await tables.vectors.put({ memoryId, provider, model, vector }, now)
    await tables.memories.setEmbeddingModel(memoryId, model, firstChange + place)
  }
  await tables.jobs.settle(
    embedJob.kind,
    stored.map(({ id }) => id),
    now,
  )
  return stored
}

/** Of texts that were looked at those that their memories hold still: of what was changed or forgotten nothing is noted. */
export async function stillSame<Looked extends Pick<MemoryRow, 'id' | 'content'>>(
  { memories }: Pick<Tables, 'memories'>,
  looked: readonly Looked[],
): Promise<Looked[]> {
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
