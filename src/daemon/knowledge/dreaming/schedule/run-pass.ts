import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { ownCaller } from '../../../ground/visibility/own-caller.js'
import { lookAtAttentions } from '../attentions/look-at-attentions.js'
import { queueReviews } from '../attentions/queue-reviews.js'
import { artifacts } from '../evidence/artifacts.js'
import { conversations } from '../evidence/conversations.js'
import type { EvidenceStream } from '../evidence/evidence.js'
import { frontierOf, noteFrontier } from '../evidence/frontier.js'
import { memories } from '../evidence/memories.js'
import { budgetOf } from '../pass/budget.js'
import { breathe, Counts, type Pass, type PassDeps, PassStopped } from '../pass/pass.js'
import { beginPass, endPass } from '../pass/pass-record.js'
import { readPieces } from '../pass/read-pieces.js'
import { readerInForce } from './reader-in-force.js'

const streams: readonly EvidenceStream[] = [memories, conversations, artifacts]

/** After so long, or so many pieces, the rest is left to the next pass: the lease of a job must not run out. */
const maxPassMs = 60_000
const maxPieces = 2000

interface Order {
  jobId: string
  signal: AbortSignal
  /** Whether the modes still let it. */
  mayGoOn(): boolean
}

/**
 * One pass (knowledge.md#dreaming): what came or changed since the last one is read, oldest first, then attentions that
 * wait are looked at. A place is noted only behind what is written, and nothing is written twice: a pass that was killed
 * is done again from there.
 * @returns whether something is left for the next one. @throws PassStopped
 */
export async function runPass(
  deps: PassDeps,
  { jobId, signal, mayGoOn }: Order,
): Promise<{ hasMore: boolean }> {
  const mode = pipelineMode(deps.configuration().settings)
  const reader = readerInForce(deps)
  const id = await beginPass(deps, { jobId, mode, reader: reader.name })
  const pass: Pass = {
    deps,
    id,
    caller: ownCaller(deps, 'pipeline-v2'),
    reader,
    budget: await budgetOf(deps, id),
    isShadow: mode === 'shadow',
    counts: new Counts(),
    signal,
    mayGoOn: () => mayGoOn() && pipelineMode(deps.configuration().settings) === mode,
  }
  const started = performance.now()
  const durationMs = (): number => Math.round(performance.now() - started)
  const isOver = (): boolean => durationMs() > maxPassMs || pass.counts.get('pieces') >= maxPieces
  try {
    await queueReviews(pass)
    const hasMore = await readStreams(pass, isOver)
    // In the shadow nothing comes to an end: attentions wait until it is left.
    if (!pass.isShadow) await lookAtAttentions(pass, { hasUnread: hasMore })
    await endPass(pass, { outcome: 'completed', code: null, durationMs: durationMs() })
    return { hasMore }
  } catch (error) {
    const isStop = error instanceof PassStopped
    const code = isStop ? error.code : 'error'
    await endPass(pass, { outcome: isStop ? 'stopped' : 'failed', code, durationMs: durationMs() })
    throw error
  }
}

/** @returns whether a stream has more than the pass took. */
async function readStreams(pass: Pass, isOver: () => boolean): Promise<boolean> {
  const { deps, counts, isShadow } = pass
  for (const stream of streams) {
    for (;;) {
      await breathe(pass)
      if (isOver()) return true
      const place = await frontierOf(deps.store.tables.meta, stream.place, isShadow)
      const batch = await stream.next(deps, place)
      if (!batch) break
      counts.add('pieces', batch.pieces.length)
      counts.add(stream.name, batch.pieces.length)
      await readPieces(pass, batch.pieces)
      await deps.store.transaction(async ({ meta, dreamPasses }) => {
        await noteFrontier(meta, stream.place, isShadow, batch.place)
        await dreamPasses.update(pass.id, { counts: JSON.stringify(counts) })
      })
    }
  }
  return false
}
