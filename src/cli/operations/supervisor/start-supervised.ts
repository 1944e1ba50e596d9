import { existsSync } from 'node:fs'
import { daemonState } from '../../../client/daemon-state.js'
import { thisMachine } from '../../sessions/connect/plan-context.js'
import { daemonFlags, type OpenFlags } from '../../shell/open-flag.js'
import { runCommand } from './run-command.js'
import { supervisorOf } from './supervisor-of.js'
import { untilRunning } from './until-running.js'

/**
 * Starts the daemon of a workspace by the supervisor that it was given to; does nothing where there is none, where one
 * runs, or for flags that its file does not have. A supervisor that fails leaves the start to the caller.
 */
export async function startSupervised(workspace: string | undefined, flags: OpenFlags): Promise<void> {
  const machine = thisMachine(workspace)
  if (!['linux', 'darwin'].includes(machine.platform) || daemonFlags(flags).length > 0) return
  const { file, start } = supervisorOf(machine)
  if (!existsSync(file) || (await daemonState(workspace)).running) return
  if ((await runCommand(start)).ok) await untilRunning(workspace)
}
