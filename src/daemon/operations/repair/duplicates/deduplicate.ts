import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { deduplicate as endpoint, RepairReply } from '../../../../contract/operations/repair/repair.js'
import { clip } from '../../../../lib/text/clip.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { Author } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type Operation, openOperation, saveOperation } from '../run/operations.js'
import type { RepairRun } from '../run/run-repair.js'
import { type DedupPlace, findMerges, type Step } from './find-merges.js'
import { type Merge, type MergeDeps, merge } from './merge.js'

type Body = z.infer<typeof endpoint.body>
type Deps = MergeDeps & Pick<Daemon, 'embedder' | 'hooksInFlight'>
type Counts = { merged: number; near: number; skipped: number }
type Dedup = Operation<DedupPlace, Counts>

/** Time limits of a call and of a dry run. */
const runMs = 2000
const dryRunMs = 30_000
const shownMerges = 20
const shownText = 120

/**
 * Merges memories that say the same: those with one hash, those whose hash doesn't match their text, and
 * optionally one agent's memories with similar vectors and compatible words. Each merge is its own
 * transaction; a call ends with its batch or its time, and the next one continues.
 */
export async function deduplicate(
  daemon: Deps,
  author: Author,
  run: RepairRun,
  body: Body,
): Promise<RepairReply> {
  const { semanticEnabled: semantic, semanticThreshold: threshold, dryRun, batchSize } = body
  const start = {
    place: { phase: 'hashes', after: '' } as DedupPlace,
    counts: { merged: 0, near: 0, skipped: 0 },
  }
  const operation: Dedup = dryRun
    ? { id: '', status: 'running', error: null, ...start }
    : await openOperation(daemon, {
        action: run.action,
        scope: { semantic, threshold: semantic ? threshold : null },
        operationId: body.operationId,
        start: async () => start,
      })
  const before = { ...operation.counts }
  const shown: Merge[] = []
  const until = performance.now() + (dryRun ? dryRunMs : runMs)
  let isWhole = operation.status === 'complete'
  if (!isWhole) {
    isWhole = true
    for await (const step of findMerges(daemon, operation.place, { semantic, threshold })) {
      await daemon.hooksInFlight.quiet(run.signal)
      if (dryRun) countMerges(operation, step)
      else await perform(daemon, author, operation, step)
      shown.push(...step.merges.slice(0, Math.max(0, shownMerges - shown.length)))
      const done = operation.counts.merged - before.merged
      if ((!dryRun && done >= batchSize) || performance.now() > until || run.signal.aborted) {
        isWhole = operation.place.phase === 'done'
        break
      }
      await nextTurn()
    }
    if (isWhole) operation.status = 'complete'
    if (!dryRun) await saveOperation(daemon.store.tables, daemon, operation)
  }
  return dedupReply(run, body, operation, { before, shown })
}

function countMerges(operation: Dedup, { merges, place }: Step): void {
  operation.counts.merged += merges.length
  operation.counts.near += merges.filter(({ why }) => why === 'near').length
  operation.place = place
}

async function perform(daemon: Deps, author: Author, operation: Dedup, step: Step): Promise<void> {
  for (const one of step.merges) {
    const isDone = await merge(daemon, author, one)
    if (!isDone) operation.counts.skipped++
    else {
      operation.counts.merged++
      if (one.why === 'near') operation.counts.near++
    }
    await nextTurn()
  }
  operation.place = step.place
}

function dedupReply(
  { action }: RepairRun,
  { dryRun }: Body,
  { id, status, place, counts, error }: Dedup,
  { before, shown }: { before: Counts; shown: readonly Merge[] },
): RepairReply {
  const affected = counts.merged - before.merged
  const isWhole = status === 'complete'
  const what = countOf(affected, 'duplicate')
  return {
    action,
    success: status !== 'failed',
    affected,
    message:
      error ?? `${what} ${dryRun ? 'would be merged' : 'merged'}${isWhole ? '' : '; call again to continue'}`,
    details: {
      operationId: dryRun ? null : id,
      status: dryRun ? 'dry_run' : status,
      complete: isWhole,
      phase: isWhole ? 'done' : place.phase,
      near: counts.near - before.near,
      skipped: counts.skipped - before.skipped,
      merges: shown.map(({ keep, drop, why }) => ({
        keep: keep.id,
        drop: drop.id,
        why,
        text: clip(drop.content, shownText),
        ...(why === 'near' && { keptText: clip(keep.content, shownText) }),
      })),
    },
  }
}
