import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../../contract/ground/errors.js'
import { EmbeddingRefused, EmbeddingUnavailable, unreadText } from '../../../../store/embedding/embedder.js'
import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import { pipelineMode } from '../../../ground/settings/pipeline-mode.js'
import { embedMemories } from '../../../memory/vectors/embed-memories.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { desk } from '../run/desk.js'

export type EmbedDeps = Pick<
  Daemon,
  'store' | 'index' | 'embedder' | 'clock' | 'newId' | 'configuration' | 'hooksInFlight' | 'background'
>

/** Result of a batch; `stopped` says why some texts were not processed. */
export interface EmbedBatchResult {
  embedded: number
  /** Texts the provider rejected; their vectors are unchanged. */
  refused: number
  stopped?: 'provider' | 'ended'
  /** Error of the provider. */
  error?: string
}

/** Why a run that uses a provider ended early. */
export type EndReason = 'budget' | 'paused' | 'cancelled'

/** Time limit of a run, and the other reasons to end it. */
export interface RunBudget {
  signal: AbortSignal
  /** Undefined while the run may continue. */
  ending(): EndReason | undefined
}

/**
 * Embeds some memories and stores the vectors. An old vector stays until a valid new one replaces it. A text
 * the provider rejects doesn't affect the others.
 */
export async function embedBatch(
  deps: EmbedDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<EmbedBatchResult> {
  try {
    await deps.hooksInFlight.quiet(signal)
    const embed = (either: AbortSignal) => embedMemories(deps, ids, either)
    const { stored: embedded, unread } = await deps.background.run(embed, signal)
    return { embedded, refused: unread.length, ...(unread.length > 0 && { error: unreadText }) }
  } catch (error) {
    if (error instanceof EmbeddingRefused)
      return ids.length === 1 ? refusal(error) : embedOneByOne(deps, ids, signal)
    if (signal.aborted || error instanceof PipelinePaused)
      return { embedded: 0, refused: 0, stopped: 'ended' }
    if (error instanceof EmbeddingUnavailable)
      return { embedded: 0, refused: 0, stopped: 'provider', error: error.message }
    throw error
  }
}

function refusal(error: EmbeddingRefused): EmbedBatchResult {
  return { embedded: 0, refused: 1, error: error.message }
}

async function embedOneByOne(
  deps: EmbedDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<EmbedBatchResult> {
  const total: EmbedBatchResult = { embedded: 0, refused: 0 }
  for (const id of ids) {
    const { embedded, refused, stopped, error } = await embedBatch(deps, [id], signal)
    total.embedded += embedded
    total.refused += refused
    if (error !== undefined) total.error = error
    // Finished texts are not repeated: a memory with a vector is no longer a gap.
    if (stopped) return { ...total, stopped }
    await nextTurn()
  }
  return total
}

/**
 * Ends a run that uses a provider when its time is up, the client is gone, or Dreaming is paused.
 * @throws AppError `conflict` while Dreaming is paused.
 */
export function createRunBudget(
  daemon: Pick<Daemon, 'store' | 'configuration'>,
  given: AbortSignal,
  runBudgetMs: number,
): RunBudget {
  if (pipelineMode(daemon.configuration().settings) === 'paused')
    throw new AppError('conflict', 'Dreaming is paused, so the provider is not used; resume it first')
  const paused = desk.of(daemon).paused()
  const time = AbortSignal.timeout(runBudgetMs)
  return {
    signal: AbortSignal.any([given, paused, time]),
    ending: () => {
      if (paused.aborted) return 'paused'
      if (given.aborted) return 'cancelled'
      return time.aborted ? 'budget' : undefined
    },
  }
}

/** How many vectors fit into `bytes`; unlimited while the dimensions are unknown. */
export function rowsWithin(bytes: number, dimensions: number | null): number {
  return dimensions === null ? Number.POSITIVE_INFINITY : Math.floor(bytes / (dimensions * 4))
}
