import type { Reply } from '../../../contract/api.js'
import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/operations/pipeline.js'
import { isPipelinePaused, pipelineMode } from '../../ground/settings/pipeline-mode.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { statusOf } from './status.js'

export type TransitionDeps = Pick<
  Daemon,
  'store' | 'paths' | 'configuration' | 'changeSettings' | 'background'
>

/** How long a pause waits for interrupted work to end. */
const quiesceMs = 10_000

/** Stores of the daemons whose mode is changing now. */
const underWay = new WeakSet<TransitionDeps['store']>()

export const routes = [
  route(contract.pipelineStatus, (daemon, { caller }) => statusOf(daemon, caller)),
  route(contract.pausePipeline, daemon => pause(daemon)),
  route(contract.resumePipeline, daemon => resume(daemon)),
]

/**
 * Pauses the background work on conversations and waits until interrupted work has ended; the pause survives
 * restarts (operations.md 6.2).
 * @throws AppError `conflict` while another transition runs, or while agent.yaml is faulty.
 */
export async function pause(deps: TransitionDeps): Promise<Reply<'POST /api/pipeline/pause'>> {
  return oneTransition(deps, async () => {
    let changed = false
    const close = async (): Promise<void> => {
      changed = await setPaused(deps, true)
    }
    const quiescence = await deps.background.quiesce(close, quiesceMs)
    return { ...transitionReply(deps, changed), quiescence }
  })
}

/**
 * Ends the pause; other reasons to stop still apply.
 * @throws AppError as `pause`
 */
export async function resume(deps: TransitionDeps): Promise<Reply<'POST /api/pipeline/resume'>> {
  return oneTransition(deps, async () => transitionReply(deps, await setPaused(deps, false)))
}

async function oneTransition<T>({ store }: TransitionDeps, work: () => Promise<T>): Promise<T> {
  if (underWay.has(store))
    throw new AppError(
      'conflict',
      'another pause or resume is running; try again when memory pipeline status shows its end',
    )
  underWay.add(store)
  try {
    return await work()
  } finally {
    underWay.delete(store)
  }
}

/** @returns whether agent.yaml changed. */
async function setPaused(
  { configuration, changeSettings }: TransitionDeps,
  paused: boolean,
): Promise<boolean> {
  if (isPipelinePaused(configuration().settings) === paused) return false
  await changeSettings({ 'memory.pipelineV2.paused': paused })
  return true
}

function transitionReply({ paths, configuration }: TransitionDeps, changed: boolean) {
  const { settings } = configuration()
  return {
    success: true,
    changed,
    paused: isPipelinePaused(settings),
    file: paths.settings,
    mode: pipelineMode(settings),
  }
}
