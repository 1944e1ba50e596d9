import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import {
  type reEmbed as endpoint,
  type RepairReply,
  vectorCeilings,
} from '../../../../contract/operations/repair/repair.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import { vectorFault } from '../../../../store/tables/operations/row-damage.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { failOperation, type Operation, openOperation, saveOperation } from '../run/operations.js'
import type { RepairRun } from '../run/run-repair.js'
import {
  createRunBudget,
  type EmbedBatchResult,
  type EmbedDeps,
  type EndReason,
  embedBatch,
  type RunBudget,
  rowsWithin,
} from './embed-batch.js'

type Body = z.infer<typeof endpoint.body>
type Sweep = Operation<{ after: string }, { embedded: number; failed: number; batches: number }>

/** Memories examined per statement, with their vectors: 300 KiB at 384 dimensions. */
const pageSize = 200

/**
 * Embeds memories whose vector of the current model is missing or damaged: one batch per call, or batches
 * until the time is up (operations.md 5.3). An operation tries each memory once, so a rejected text never
 * blocks the others. An interrupted operation can be continued.
 */
export async function reEmbed(daemon: EmbedDeps, run: RepairRun, body: Body): Promise<RepairReply> {
  const { provider, model, state, available, error } = daemon.embedder().status()
  if (body.dryRun) return dryRunOf(daemon, run, body)
  if (!available) {
    daemon.embedder().warm()
    const why =
      state === 'off' ? 'no embedding provider is set (embedding.provider)' : (error ?? `it is ${state}`)
    return { action: run.action, success: false, affected: 0, message: `no vectors can be made: ${why}` }
  }
  const budget = createRunBudget(daemon, run.signal, body.runBudgetMs)
  const operation: Sweep = await openOperation(daemon, {
    action: run.action,
    scope: {},
    profile: `${provider} ${model}`,
    operationId: body.operationId,
    start: async () => ({ place: { after: '' }, counts: { embedded: 0, failed: 0, batches: 0 } }),
  })
  const before = operation.counts.embedded
  const ended = operation.status === 'running' ? await sweep(daemon, operation, body, budget) : undefined
  return reEmbedReply(daemon, run, operation, { affected: operation.counts.embedded - before, ended })
}

/** Why a call ended before its operation did. */
type EarlyEnd = { ending: EndReason | 'provider' | 'bytes'; error?: string | undefined } | undefined

async function sweep(
  daemon: EmbedDeps,
  operation: Sweep,
  { batchSize, maxVectorBytes, fullSweep }: Body,
  budget: RunBudget,
): Promise<EarlyEnd> {
  for (;;) {
    const { dimensions } = daemon.embedder().status()
    const size = Math.min(batchSize, rowsWithin(maxVectorBytes, dimensions))
    if (size === 0) return { ending: 'bytes' }
    const { ids, last } = await nextGaps(daemon, operation.place.after, size, budget.signal)
    const ending = budget.ending()
    if (ending) return { ending }
    const conflict = await hashConflict(daemon, ids)
    if (conflict) {
      await failOperation(daemon, operation, conflict)
      return undefined
    }
    const result = ids.length > 0 ? await embedBatch(daemon, ids, budget.signal) : undefined
    if (result) {
      addResult(operation, result)
      if (!result.stopped) operation.place = { after: ids.at(-1) as string }
    }
    if (!result?.stopped && last) operation.status = 'complete'
    await saveOperation(daemon.store.tables, daemon, operation)
    if (result?.stopped === 'provider') return { ending: 'provider', error: result.error }
    if (result?.stopped) return { ending: budget.ending() ?? 'cancelled' }
    if (operation.status === 'complete' || !fullSweep) return undefined
    await nextTurn()
  }
}

function addResult({ counts }: Sweep, { embedded, refused }: EmbedBatchResult): void {
  counts.embedded += embedded
  counts.failed += refused
  counts.batches += 1
}

/** The next memories without a valid vector of the model. @returns `last`: whether none follow */
async function nextGaps(
  { store, embedder }: Pick<EmbedDeps, 'store' | 'embedder'>,
  after: string,
  limit: number,
  signal: AbortSignal,
): Promise<{ ids: string[]; last: boolean }> {
  const ids: string[] = []
  const read = (place: string) => store.tables.vectorShapes.gapsAfter(place, embedder().status(), pageSize)
  for await (const page of pagesOf({ from: after, limit: pageSize, read, placeOf: byId })) {
    if (signal.aborted) return { ids, last: false }
    const damaged = await damagedAmong(store, page)
    for (const { id, isGap } of page) {
      if (!isGap && !damaged.has(id)) continue
      if (ids.length === limit) return { ids, last: false }
      ids.push(id)
    }
  }
  return { ids, last: true }
}

/** The memories whose stored vector is damaged. */
async function damagedAmong(
  { tables }: EmbedDeps['store'],
  page: readonly { id: string; isEmbedded: boolean }[],
): Promise<Set<string>> {
  const ids = page.filter(({ isEmbedded }) => isEmbedded).map(({ id }) => id)
  const vectors = await tables.vectorShapes.read(ids, vectorCeilings.bytes)
  return new Set(vectors.filter(one => vectorFault(one) !== undefined).map(({ memory_id: id }) => id))
}

async function dryRunOf(daemon: EmbedDeps, run: RepairRun, { batchSize }: Body): Promise<RepairReply> {
  const { ids } = await nextGaps(daemon, '', Number.POSITIVE_INFINITY, run.signal)
  const remaining = ids.length
  return {
    action: run.action,
    success: true,
    affected: remaining,
    message: `${countOf(remaining, 'memory', 'memories')} would get a vector`,
    details: { operationId: null, status: 'dry_run', remaining, batches: Math.ceil(remaining / batchSize) },
  }
}

async function reEmbedReply(
  { store, embedder }: Pick<EmbedDeps, 'store' | 'embedder'>,
  { action }: RepairRun,
  operation: Sweep,
  { affected, ended }: { affected: number; ended: EarlyEnd },
): Promise<RepairReply> {
  const { id, status, counts, error } = operation
  const missing = Math.max(0, await store.tables.vectors.countMissing(embedder().status()))
  // A rejected text keeps its damaged vector, if it has one.
  const remaining = status === 'complete' ? Math.max(missing, counts.failed) : missing
  const done = `${countOf(affected, 'memory', 'memories')} got a vector`
  return {
    action,
    success: status !== 'failed' && ended?.ending !== 'provider',
    affected,
    message: error
      ? `it failed: ${error}`
      : `${done}${status === 'complete' ? '' : `; ${describeEnd(ended)}`}`,
    details: {
      operationId: id,
      status,
      remaining,
      batches: counts.batches,
      embedded: counts.embedded,
      failed: counts.failed,
      ...(ended && { reason: ended.ending }),
    },
  }
}

export function describeEnd(ended: EarlyEnd): string {
  if (!ended) return 'call again to continue'
  const reasons = {
    budget: 'its time is up, call again to continue',
    paused: 'the pipeline was paused, resume it to continue',
    cancelled: 'the client is gone, call again to continue',
    bytes: 'one vector is larger than maxVectorBytes, raise that',
    provider: `the provider does not answer (${ended.error}), call again later to continue`,
  }
  return reasons[ended.ending]
}

/**
 * Looks for two agents' memories with the same text where one hash is wrong: they must be merged first, not
 * embedded twice.
 * @returns the fault, without quoting the text
 */
async function hashConflict(
  { store }: Pick<Daemon, 'store'>,
  ids: readonly string[],
): Promise<string | undefined> {
  for (const row of await store.tables.memories.load(ids)) {
    const hash = contentHash(storageContent(row.content))
    if (hash === row.content_hash) continue
    const others = await store.tables.memories.load(await store.tables.duplicates.withHash(hash, 10))
    const other = others.find(one => one.hash_space === row.hash_space && one.agent_id !== row.agent_id)
    if (other)
      return `the memories ${row.id} and ${other.id} of two agents have the same text, and the hash of one is wrong; run deduplicate first`
  }
  return undefined
}
