import type { z } from 'zod'
import type { Reply } from '../../../../contract/api.js'
import type { reEmbedMigration as endpoint } from '../../../../contract/operations/repair/repair.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { pagesOf } from '../../../../lib/workspace/pages-of.js'
import type { EmbedderStatus } from '../../../../store/embedding/embedder.js'
import type { VectorMetadata } from '../../../../store/tables/memory/vector-shapes.js'
import { type Operation, openOperation, saveOperation } from '../run/operations.js'
import type { RepairRun } from '../run/run-repair.js'
import { createRunBudget, type EmbedDeps, embedBatch, rowsWithin } from './embed-batch.js'
import { describeEnd } from './re-embed.js'

type Body = z.infer<typeof endpoint.body>
type MigrationReply = Reply<'POST /api/repair/re-embed-migration'>
type Migration = Operation<
  { after: number },
  { total: number; embedded: number; failed: number; isRebuildDue: boolean }
>
type Target = Pick<EmbedderStatus, 'provider' | 'model' | 'dimensions'>

const pageSize = 200

/**
 * Replaces vectors of another model or another length; with `all` every vector. An old vector stays until a
 * valid new one replaces it. Without `agentId` the vectors of all agents.
 */
export async function migrateModel(
  daemon: EmbedDeps,
  run: RepairRun,
  body: Body & { agentId?: string | undefined },
): Promise<MigrationReply> {
  const { provider, model, dimensions, available, state, error } = daemon.embedder().status()
  const target: Target = { provider, model, dimensions }
  if (body.dryRun) return dryRunOf(daemon, run, { body, target })
  if (!available) {
    daemon.embedder().warm()
    const message = `no vectors can be made: ${error ?? `the embedding provider is ${state}`}`
    return { action: run.action, success: false, affected: 0, message, totalMatching: 0 }
  }
  const budget = createRunBudget(daemon, run.signal, body.runBudgetMs)
  const operation: Migration = await openOperation(daemon, {
    action: run.action,
    scope: { agentId: body.agentId ?? null, all: body.all },
    profile: `${provider} ${model} ${dimensions}`,
    operationId: body.operationId,
    start: async () => {
      const { total, sources } = await survey(daemon, { body, target }, run.signal)
      const isRebuildDue = needsRebuild(sources, target)
      return { place: { after: 0 }, counts: { total, embedded: 0, failed: 0, isRebuildDue } }
    },
  })
  const before = operation.counts.embedded
  const ended =
    operation.status === 'running' ? await nextBatch(daemon, operation, { body, target }, budget) : undefined
  // The index holds vectors of one length, so vectors of a new length enter it only with a rebuild.
  if (operation.status === 'complete' && operation.counts.isRebuildDue) {
    operation.counts.isRebuildDue = false
    await daemon.index.rebuild()
    await saveOperation(daemon.store.tables, daemon, operation)
  }
  const affected = operation.counts.embedded - before
  const { id, status, counts } = operation
  const done = `${countOf(affected, 'vector')} replaced`
  return {
    action: run.action,
    success: status !== 'failed' && ended?.ending !== 'provider',
    affected,
    totalMatching: counts.total,
    message: operation.error
      ? `it failed: ${operation.error}`
      : `${done}${status === 'complete' ? '' : `; ${describeEnd(ended)}`}`,
    details: {
      operationId: id,
      status,
      remaining: Math.max(0, counts.total - counts.embedded - counts.failed),
      failed: counts.failed,
      target,
      ...(ended && { reason: ended.ending }),
    },
  }
}

interface MigrationTarget {
  body: Body & { agentId?: string | undefined }
  target: Target
}

function matches({ body, target }: MigrationTarget, shape: VectorMetadata): boolean {
  if (shape.isHidden || shape.agentId === null) return false
  if (body.agentId !== undefined && shape.agentId !== body.agentId) return false
  return body.all || !isOfTarget(target, shape)
}

function isOfTarget({ provider, model, dimensions }: Target, shape: VectorMetadata): boolean {
  return (
    shape.provider === provider &&
    shape.model === model &&
    (dimensions === null || shape.dimensions === dimensions)
  )
}

async function nextBatch(
  daemon: EmbedDeps,
  operation: Migration,
  wanted: MigrationTarget,
  budget: ReturnType<typeof createRunBudget>,
): Promise<Parameters<typeof describeEnd>[0]> {
  const { batchSize, maxVectorBytes } = wanted.body
  const size = Math.min(batchSize, rowsWithin(maxVectorBytes, wanted.target.dimensions))
  if (size === 0) return { ending: 'bytes' }
  const found: VectorMetadata[] = []
  let isLast = false
  for await (const page of shapesFrom(daemon, operation.place.after)) {
    found.push(...page.filter(shape => matches(wanted, shape)))
    isLast = page.length < pageSize
    if (found.length >= size || budget.signal.aborted) break
  }
  const batch = found.slice(0, size)
  const ending = budget.ending()
  if (ending) return { ending }
  const ids = batch.map(({ id }) => id)
  const result = ids.length > 0 ? await embedBatch(daemon, ids, budget.signal) : undefined
  operation.counts.embedded += result?.embedded ?? 0
  operation.counts.failed += result?.refused ?? 0
  // An interrupted batch is repeated: finished vectors no longer match, or are made again.
  if (result && !result.stopped) operation.place = { after: (batch.at(-1) as VectorMetadata).number }
  if (!result?.stopped && isLast && found.length <= size) operation.status = 'complete'
  await saveOperation(daemon.store.tables, daemon, operation)
  if (result?.stopped === 'provider') return { ending: 'provider', error: result.error }
  return result?.stopped ? { ending: budget.ending() ?? 'cancelled' } : undefined
}

function shapesFrom({ store }: Pick<EmbedDeps, 'store'>, from: number) {
  const read = store.tables.vectorShapes.after
  return pagesOf({ from, limit: pageSize, read, placeOf: ({ number }) => number })
}

interface Source {
  provider: string
  model: string
  dimensions: number
  count: number
}

/** Matching vectors, grouped by model and length. */
async function survey(
  deps: Pick<EmbedDeps, 'store'>,
  wanted: MigrationTarget,
  signal: AbortSignal,
): Promise<{ total: number; sources: Source[] }> {
  const sources = new Map<string, Source>()
  let total = 0
  for await (const page of shapesFrom(deps, 0)) {
    if (signal.aborted) break
    for (const shape of page.filter(one => matches(wanted, one))) {
      const { provider, model, dimensions } = shape
      const key = JSON.stringify([provider, model, dimensions])
      const source = sources.get(key) ?? { provider, model, dimensions, count: 0 }
      source.count++
      sources.set(key, source)
      total++
    }
  }
  return { total, sources: [...sources.values()] }
}

function needsRebuild(sources: readonly Source[], { provider, model, dimensions }: Target): boolean {
  return sources.some(
    source => source.provider === provider && source.model === model && source.dimensions !== dimensions,
  )
}

async function dryRunOf(daemon: EmbedDeps, run: RepairRun, wanted: MigrationTarget): Promise<MigrationReply> {
  const { total, sources } = await survey(daemon, wanted, run.signal)
  return {
    action: run.action,
    success: true,
    affected: total,
    totalMatching: total,
    message: `${countOf(total, 'vector')} would be replaced with those of ${wanted.target.model}`,
    details: {
      totalMatching: total,
      sources: sources.map(source => ({
        ...source,
        label: `${source.provider} ${source.model}, ${source.dimensions} dimensions`,
      })),
      target: wanted.target,
      estimatedBatches: Math.ceil(total / wanted.body.batchSize),
      vectorIndexRebuildRequired: needsRebuild(sources, wanted.target),
    },
  }
}
