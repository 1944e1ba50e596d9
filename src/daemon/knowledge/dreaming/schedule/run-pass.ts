import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { ownCaller } from '../../../ground/visibility/caller.js'
import { handleAttentions, queueReviews } from '../attentions/look-at-attentions.js'
import {
  againUntil,
  beginAgain,
  type EvidenceStream,
  frontierOf,
  noteFrontier,
} from '../evidence/evidence.js'
import { artifacts, conversations, memories } from '../evidence/streams.js'
import {
  breathe,
  Counts,
  type DreamingPass,
  type DreamingPassDeps,
  PassStopped,
  pipelineActor,
} from '../pass/pass.js'
import { beginPass, budgetOf, endPass } from '../pass/pass-record.js'
import { readManifests } from '../pass/read-manifests.js'
import { readTexts } from '../pass/read-pieces.js'
import { currentReader } from '../provider/provider-reader.js'

const streams: readonly EvidenceStream[] = [memories, conversations, artifacts]

/**
 * Limits of time and texts per pass, because the lease of its job must not run out; the next pass reads the
 * rest.
 */
const maxPassMs = 60_000
const maxPieces = 2000

interface PassRequest {
  jobId: string
  signal: AbortSignal
  /** False once the settings no longer allow the pass. */
  mayGoOn(): boolean
}

/**
 * Runs one pass (knowledge.md#dreaming): reads texts that are new or changed since the last one, oldest
 * first, and then handles due attentions. Positions are stored after their results and results are never
 * duplicated, so a killed pass is repeated from there.
 * @returns whether the next pass has something left to read
 * @throws PassStopped
 */
export async function runPass(
  deps: DreamingPassDeps,
  { jobId, signal, mayGoOn }: PassRequest,
): Promise<{ hasMore: boolean }> {
  const mode = pipelineMode(deps.configuration().settings)
  const reader = currentReader(deps)
  const id = await beginPass(deps, { jobId, mode, reader: reader.name })
  const pass: DreamingPass = {
    deps,
    id,
    caller: ownCaller(deps, pipelineActor),
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
    const isByRules = reader.name === 'deterministic'
    if (!pass.isShadow) await deps.store.transaction(({ meta }) => beginAgain(meta, { isByRules }))
    const hasMore = await readStreams(pass, isOver)
    // In shadow mode attentions stay open until the mode changes.
    if (!pass.isShadow) await handleAttentions(pass, { hasUnread: hasMore })
    await endPass(pass, { outcome: 'completed', code: null, durationMs: durationMs() })
    return { hasMore }
  } catch (error) {
    const isStop = error instanceof PassStopped
    const code = isStop ? error.code : 'error'
    await endPass(pass, { outcome: isStop ? 'stopped' : 'failed', code, durationMs: durationMs() })
    throw error
  }
}

/** @returns whether a stream has more texts than the pass could read */
async function readStreams(pass: DreamingPass, isOver: () => boolean): Promise<boolean> {
  const { deps, counts, isShadow } = pass
  for (const stream of streams) {
    for (;;) {
      await breathe(pass)
      if (isOver()) return true
      const place = await frontierOf(deps.store.tables.meta, stream.place, isShadow)
      const until = await againUntil(deps.store.tables.meta, stream.place)
      const batch = await stream.next(deps, place, until)
      if (!batch) break
      counts.add('pieces', batch.pieces.length)
      counts.add(stream.name, batch.pieces.length)
      await readTexts(pass, batch.pieces, { isAgain: place < until })
      await readManifests(pass, batch.manifests ?? [], { isAgain: place < until })
      await deps.store.transaction(async ({ meta, dreamPasses }) => {
        await noteFrontier(meta, stream.place, isShadow, batch.place)
        await dreamPasses.update(pass.id, { counts: JSON.stringify(counts) })
      })
    }
  }
  return false
}
