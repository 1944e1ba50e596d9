import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import {
  type resyncVectors as endpoint,
  type ScopedReply,
  vectorCeilings,
} from '../../../../contract/operations/repair/repair.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { VectorMetadata } from '../../../../store/tables/memory/vector-shapes.js'
import { fromBytes } from '../../../../store/tables/memory/vectors.js'
import { vectorFault } from '../../../../store/tables/operations/row-damage.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type Operation, openOperation, saveOperation } from '../run/operations.js'
import { JobBudget, type RepairRun } from '../run/run-repair.js'
import { repairVectorMarks } from './repair-marks.js'

type Body = z.infer<typeof endpoint.body> & { agentId: string }
type Deps = Pick<Daemon, 'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'hooksInFlight'>
type Counts = { processed: number; inserted: number; skipped: number; failed: number; damaged: number }
type Resync = Operation<{ after: number }, Counts>

/** How a job ended. `deferred`: the next vector exceeds the caller's limit for a job. */
type JobEnd = 'more' | 'end' | 'deferred' | 'failed'

/**
 * Adds an agent's vectors of the current model to the index where they are missing. Vectors larger than any
 * job allows are recorded and skipped from then on; damaged ones are skipped and left to re-embed. Index
 * entries without a stored vector stay.
 */
export async function resyncVectors(daemon: Deps, run: RepairRun, body: Body): Promise<ScopedReply> {
  const { agentId, dryRun, maxBatches } = body
  const { provider, model } = daemon.embedder().status()
  const start = {
    place: { after: 0 },
    counts: { processed: 0, inserted: 0, skipped: 0, failed: 0, damaged: 0 },
  }
  const operation: Resync = dryRun
    ? { id: '', status: 'running', error: null, ...start }
    : await openOperation(daemon, {
        action: run.action,
        scope: { agentId },
        profile: `${provider} ${model}`,
        start: async () => start,
      })
  const before = operation.counts.inserted
  let ended: JobEnd = 'more'
  const jobs = dryRun ? Number.POSITIVE_INFINITY : maxBatches
  for (let job = 0; job < jobs && ended === 'more' && !run.signal.aborted; job++) {
    await daemon.hooksInFlight.quiet(run.signal)
    ended = await oneJob(daemon, operation, body)
    if (ended === 'end') operation.status = 'complete'
    if (!dryRun)
      // Progress lost in a power cut only repeats comparisons.
      await daemon.store.write({ until: 'executed' }, tables => saveOperation(tables, daemon, operation))
    await nextTurn()
  }
  const marks = ended === 'end' ? await repairVectorMarks(daemon, run.signal, dryRun) : 0
  return resyncReply(run, body, operation, { affected: operation.counts.inserted - before, ended, marks })
}

async function oneJob(daemon: Deps, operation: Resync, body: Body): Promise<JobEnd> {
  const { provider, model } = daemon.embedder().status()
  const budget = new JobBudget({ rows: body.batchSize, bytes: body.maxVectorBytes })
  let last = operation.place.after
  const shapes = await daemon.store.tables.vectorShapes.after(last, body.batchSize)
  const taken: VectorMetadata[] = []
  let isDeferred = false
  for (const shape of shapes) {
    const isOurs =
      shape.agentId === body.agentId &&
      !shape.isHidden &&
      shape.provider === provider &&
      shape.model === model
    if (isOurs && shape.quarantine === null && shape.bytes <= vectorCeilings.bytes) {
      isDeferred = budget.isTooLarge(shape.bytes) && taken.length === 0
      if (!budget.take({ bytes: shape.bytes, units: 2 })) break
      taken.push(shape)
    } else if (isOurs) await skipVector(daemon, operation, shape, body.dryRun)
    operation.counts.processed++
    last = shape.number
  }
  const isWritten = await addToIndex(daemon, operation, taken, body.dryRun)
  if (!isWritten) return 'failed'
  operation.place = { after: last }
  if (isDeferred) return 'deferred'
  return shapes.length < body.batchSize && last === (shapes.at(-1)?.number ?? last) ? 'end' : 'more'
}

/** Records a vector that no index can hold, once. */
async function skipVector(
  { store, clock }: Deps,
  { counts }: Resync,
  shape: VectorMetadata,
  dryRun: boolean,
): Promise<void> {
  counts.skipped++
  if (shape.quarantine === null && !dryRun)
    await store.tables.vectorShapes.quarantine(shape, 'oversized', clock().toISOString())
}

/** @returns false when the index rejected them; the next call retries */
async function addToIndex(
  daemon: Deps,
  { counts }: Resync,
  shapes: readonly VectorMetadata[],
  dryRun: boolean,
): Promise<boolean> {
  const { store, index } = daemon
  const read = await store.tables.vectorShapes.read(
    shapes.map(({ id }) => id),
    vectorCeilings.bytes,
  )
  const sound = read.filter(one => vectorFault(one) === undefined)
  counts.skipped += read.length - sound.length
  counts.damaged += read.length - sound.length
  const stored = new Map(sound.map(({ memory_id, vector }) => [memory_id, vector as Uint8Array]))
  const lacking = await index.lacking('vectors', [...stored.keys()])
  if (dryRun || lacking.length === 0) {
    counts.inserted += lacking.length
    return true
  }
  try {
    for (const id of lacking) index.setVector(id, fromBytes(stored.get(id) as Uint8Array))
    await index.settled()
    const left = await index.lacking('vectors', lacking)
    counts.inserted += lacking.length - left.length
    // The memory has no entry, or its vector another length: check-fts and re-embed-migration show which.
    counts.failed += left.length
    return true
  } catch {
    counts.failed += lacking.length
    return false
  }
}

function resyncReply(
  { action }: RepairRun,
  { agentId, dryRun }: Body,
  { id, status, counts }: Resync,
  { affected, ended, marks }: { affected: number; ended: JobEnd; marks: number },
): ScopedReply {
  const { processed, skipped, failed, damaged } = counts
  const isWhole = status === 'complete' || ended === 'end'
  const what = countOf(affected, 'vector')
  const messages = {
    more: 'call again to continue',
    end: 'the index is complete',
    deferred: 'the next vector is larger than maxVectorBytes, raise that to continue',
    failed: 'the index rejected some, call again to continue',
  }
  return {
    action,
    success: true,
    affected,
    message: `${what} ${dryRun ? 'would be added' : 'added'} to the index; ${messages[ended]}`,
    operation: 'resync-vectors',
    agentId,
    checkpointId: dryRun ? null : id,
    phase: 'vectors',
    status: isWhole ? 'complete' : 'running',
    processed,
    skipped,
    failed,
    remaining: isWhole ? 0 : null,
    remainingStatus: isWhole ? 'exact' : 'unknown',
    details: { inserted: counts.inserted, damaged, quarantined: skipped - damaged, marks },
  }
}
