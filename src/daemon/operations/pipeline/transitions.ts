import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import { isPipelinePaused, pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type TransitionDeps = Pick<
  Daemon,
  'store' | 'paths' | 'configuration' | 'changeSettings' | 'background'
>

/** A pause waits so long for what it gave up. */
const quiesceMs = 10_000

/** Daemons by their store whose mode is being changed now. */
const underWay = new WeakSet<TransitionDeps['store']>()

/**
 * Lets the work that draws something from what was said stand still, and waits for the end of what it gave up; it stays
 * so over restarts (operations.md 6.2).
 * @throws AppError `conflict` while another transition runs, or while agent.yaml is faulty.
 */
export async function pause(deps: TransitionDeps): Promise<Reply<'POST /api/pipeline/pause'>> {
  return oneTransition(deps, async () => {
    let changed = false
    const close = (): void => {
      changed = setPaused(deps, true)
    }
    const quiescence = await deps.background.quiesce(close, quiesceMs)
    return { ...told(deps, changed), quiescence }
  })
}

/**
 * Lets it go on; whatever else stops it still does.
 * @throws AppError as `pause`
 */
export async function resume(deps: TransitionDeps): Promise<Reply<'POST /api/pipeline/resume'>> {
  return oneTransition(deps, async () => told(deps, setPaused(deps, false)))
}

async function oneTransition<T>({ store }: TransitionDeps, work: () => Promise<T>): Promise<T> {
  if (underWay.has(store))
    throw new AppError(
      'conflict',
      'another pause or resume is under way; wait for its end: memory pipeline status',
    )
  underWay.add(store)
  try {
    return await work()
  } finally {
    underWay.delete(store)
  }
}

/** @returns whether agent.yaml said otherwise before. */
function setPaused({ configuration, changeSettings }: TransitionDeps, paused: boolean): boolean {
  if (isPipelinePaused(configuration().settings) === paused) return false
  changeSettings({ 'memory.pipelineV2.paused': paused })
  return true
}

function told({ paths, configuration }: TransitionDeps, changed: boolean) {
  const { settings } = configuration()
  return {
    success: true,
    changed,
    paused: isPipelinePaused(settings),
    file: paths.settings,
    mode: pipelineMode(settings),
  }
}
