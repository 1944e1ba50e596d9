import { existsSync } from 'node:fs'
import { type DaemonState, daemonState } from '../../../../client/daemon/daemon-state.js'
import { thisMachine } from '../../../sessions/connect/plan-context.js'
import { CliError } from '../../../shell/cli-error.js'
import { daemonFlags, type OpenFlags } from '../../../shell/own-daemon.js'
import { pollUntil } from '../../../terminal/poll-until.js'
import { startSpinner } from '../../../terminal/progress.js'
import { runCommand } from './run-command.js'
import { hasSupervisor, supervisorOf } from './supervisor-of.js'

const startTimeoutMs = 30_000

interface StartOptions {
  workspace: string | undefined
  flags: OpenFlags
  /** Text of the spinner. */
  doing: string
  /** Runs before the start. */
  first?: () => Promise<unknown>
}

/** Starts the daemon in the background, with its supervisor if it has one, and waits until it is ready. */
export async function startInBackground({
  workspace,
  flags,
  doing,
  first,
}: StartOptions): Promise<DaemonState> {
  const spinner = startSpinner(doing)
  try {
    await first?.()
    await startSupervised(workspace, flags)
    const { ensureDaemon } = await import('../../../../client/daemon/ensure-daemon.js')
    await ensureDaemon({ workspace, autostart: true, onWait: spinner.say, daemonFlags: daemonFlags(flags) })
  } finally {
    spinner.stop()
  }
  return daemonState(workspace)
}

/**
 * Starts the daemon of a workspace with its supervisor. Does nothing without a supervisor, if a daemon runs,
 * or for flags that are missing in the supervisor's file. If the supervisor fails, the caller starts the
 * daemon.
 */
export async function startSupervised(workspace: string | undefined, flags: OpenFlags): Promise<void> {
  const machine = thisMachine(workspace)
  if (!hasSupervisor(machine.platform) || daemonFlags(flags).length > 0) return
  const { file, start } = supervisorOf(machine)
  if (!existsSync(file) || (await daemonState(workspace)).running) return
  if ((await runCommand(start)).ok) await untilRunning(workspace)
}

/** Waits for a daemon that a supervisor starts. @throws CliError `launch_failed` after half a minute. */
export async function untilRunning(workspace: string | undefined): Promise<DaemonState> {
  const deadline = Date.now() + startTimeoutMs
  const state = await pollUntil(
    () => daemonState(workspace),
    ({ ready }) => ready || Date.now() > deadline,
  )
  if (state.ready) return state
  throw new CliError(`the daemon was not ready within ${startTimeoutMs / 1000} s`, {
    code: 'launch_failed',
    exit: 'unavailable',
    nextSteps: [
      'memory daemon status',
      'memory daemon logs',
      'memory daemon run   starts it in this terminal',
    ],
  })
}
