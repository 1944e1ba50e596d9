import { type DaemonState, daemonState } from '../../../client/daemon-state.js'
import { CliError } from '../../shell/cli-error.js'
import { askUntil } from '../../terminal/ask-until.js'

const startTimeoutMs = 30_000

/** Waits for a daemon that a supervisor starts. @throws CliError `launch_failed` after half a minute. */
export async function untilRunning(workspace: string | undefined): Promise<DaemonState> {
  const deadline = Date.now() + startTimeoutMs
  const state = await askUntil(
    () => daemonState(workspace),
    ({ ready }) => ready || Date.now() > deadline,
  )
  if (state.ready) return state
  throw new CliError(`the daemon was not ready within ${startTimeoutMs / 1000} s`, {
    code: 'launch_failed',
    exit: 'unavailable',
    nextSteps: ['memory daemon status', 'memory daemon logs', 'memory daemon run   shows a start here'],
  })
}
