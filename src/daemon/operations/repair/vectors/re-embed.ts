import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { RepairReply } from '../../../../contract/operations/repair/repair.js'
import {
  type reEmbed as endpoint,
  vectorCeilings,
} from '../../../../contract/operations/repair/repair-vectors.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { byId, pagesOf } from '../../../../lib/workspace/pages-of.js'
import { vectorFault } from '../../../../store/tables/operations/row-damage.js'
import { contentHash, storageContent } from '../../../memory/records/normalise-content.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { fail, type Operation, openOperation, saveOperation } from '../run/operations.js'
import type { Run } from '../run/run-repair.js'
import { budgetOfRun, type Ending, type RunBudget, rowsWithin } from './budget-of-run.js'
import { type EmbedDeps, type Embedded, embedBatch } from './embed-batch.js'

type Body = z.infer<typeof endpoint.body>
type Sweep = Operation<{ after: string }, { embedded: number; failed: number; batches: number }>

/** Memories that are looked at together, with the vectors that they have: 300 KiB at 384 dimensions. */
const pageSize = 200

/**
 * Makes vectors of memories that have none of the present model, or a damaged one: one batch a call, or batch after batch
 * until its time ends (operations.md 5.3). Each memory is tried once by an operation, so that a text that is refused
 * always holds up nobody. What ends it early leaves it to be gone on with.
 */
export async function reEmbed(daemon: EmbedDeps, run: Run, body: Body): Promise<RepairReply> {
  const { provider, model, state, available, error } = daemon.embedder().status()
  if (body.dryRun) return dryRunOf(daemon, run, body)
  if (!available) {
    daemon.embedder().warm()
    const why =
      state === 'off' ? 'no embedding provider is set (embedding.provider)' : (error ?? `it is ${state}`)
    return { action: run.action, success: false, affected: 0, message: `no vectors can be made: ${why}` }
  }
  const budget = budgetOfRun(daemon, run.signal, body.runBudgetMs)
  const operation: Sweep = await openOperation(daemon, {
    action: run.action,
    scope: {},
    profile: `${provider} ${model}`,
    operationId: body.operationId,
    start: async () => ({ place: { after: '' }, counts: { embedded: 0, failed: 0, batches: 0 } }),
  })
  const before = operation.counts.embedded
  const ended = operation.status === 'running' ? await sweep(daemon, operation, body, budget) : undefined
  return told(daemon, run, operation, { affected: operation.counts.embedded - before, ended })
}

/** Why a call ended before its operation did. */
type Ended = { ending: Ending | 'provider' | 'bytes'; error?: string | undefined } | undefined

async function sweep(
  daemon: EmbedDeps,
  operation: Sweep,
  { batchSize, maxVectorBytes, fullSweep }: Body,
  budget: RunBudget,
): Promise<Ended> {
  for (;;) {
    const { dimensions } = daemon.embedder().status()
    const size = Math.min(batchSize, rowsWithin(maxVectorBytes, dimensions))
    if (size === 0) return { ending: 'bytes' }
    const { ids, last } = await nextGaps(daemon, operation.place.after, size, budget.signal)
    const ending = budget.ending()
    if (ending) return { ending }
    const conflict = await hashConflict(daemon, ids)
    if (conflict) {
      await fail(daemon, operation, conflict)
      return undefined
    }
    const result = ids.length > 0 ? await embedBatch(daemon, ids, budget.signal) : undefined
    if (result) {
      note(operation, result)
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

function note({ counts }: Sweep, { embedded, refused }: Embedded): void {
  counts.embedded += embedded
  counts.failed += refused
  counts.batches += 1
}

/** The next memories without a sound vector of the model. @returns `last`: there are no others behind them. */
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

/** Of memories with a vector those whose bytes are none. */
async function damagedAmong(
  { tables }: EmbedDeps['store'],
  page: readonly { id: string; isEmbedded: boolean }[],
): Promise<Set<string>> {
  const ids = page.filter(({ isEmbedded }) => isEmbedded).map(({ id }) => id)
  const vectors = await tables.vectorShapes.read(ids, vectorCeilings.bytes)
  return new Set(vectors.filter(one => vectorFault(one) !== undefined).map(({ memory_id: id }) => id))
}

async function dryRunOf(daemon: EmbedDeps, run: Run, { batchSize }: Body): Promise<RepairReply> {
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

async function told(
  { store, embedder }: Pick<EmbedDeps, 'store' | 'embedder'>,
  { action }: Run,
  operation: Sweep,
  { affected, ended }: { affected: number; ended: Ended },
): Promise<RepairReply> {
  const { id, status, counts, error } = operation
  const missing = Math.max(0, await store.tables.vectors.countMissing(embedder().status()))
  // What was refused keeps its damaged vector, if it has one.
  const remaining = status === 'complete' ? Math.max(missing, counts.failed) : missing
  const done = `${countOf(affected, 'memory', 'memories')} got a vector`
  return {
    action,
    success: status !== 'failed' && ended?.ending !== 'provider',
    affected,
    message: error
      ? `it can't go on: ${error}`
      : `${done}${status === 'complete' ? '' : `; ${reasonOf(ended)}`}`,
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

export function reasonOf(ended: Ended): string {
  if (!ended) return 'call again to go on'
  const reasons = {
    budget: 'its time is over, call again to go on',
    paused: 'the pipeline was paused, resume it to go on',
    cancelled: 'nobody waited for it any more, call again to go on',
    bytes: 'one vector takes more bytes than maxVectorBytes, give it more',
    provider: `the provider does not answer (${ended.error}), call again later to go on`,
  }
  return reasons[ended.ending]
}

/**
 * Whether one of some memories has the text of another agent's row of its space under a hash that is not of it: two rows
 * that should be one must not both be given vectors. @returns what is wrong, without a word of either.
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
      return `the memories ${row.id} and ${other.id} of two agents have one text, and the hash of one is wrong; deduplicate first`
  }
  return undefined
}
