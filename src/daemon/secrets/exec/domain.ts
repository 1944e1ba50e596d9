import { AppError } from '../../../contract/ground/errors.js'
import * as contract from '../../../contract/secrets/exec.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { CommandJobs } from './command-jobs.js'
import { followOutput } from './follow-output.js'

/** They live in memory, as long as their daemon. */
const byDaemon = new WeakMap<Daemon, CommandJobs>()

function commandsOf(daemon: Daemon): CommandJobs {
  const commands = byDaemon.get(daemon)
  if (!commands) throw new AppError('starting', 'the daemon is still starting; try again shortly')
  return commands
}

/** Commands with secrets (secret-commands.md). */
export const exec: Domain = {
  routes: [
    route(contract.runCommand, (daemon, { caller, body }) => commandsOf(daemon).admit(caller, body)),
    route(contract.runCommandWith, (daemon, { caller, params: { name }, body }) =>
      commandsOf(daemon).admit(caller, { ...body, secrets: body.secrets ?? { [name]: name } }),
    ),
    route(contract.commandStatus, async (daemon, { params }) => commandsOf(daemon).find(params.jobId).state),
    route(contract.cancelCommand, async (daemon, { params }) => {
      const { state } = await commandsOf(daemon).cancel(params.jobId)
      return state
    }),
    route(contract.commandOutput, async (daemon, { params }) => {
      const commands = commandsOf(daemon)
      return followOutput(commands, commands.find(params.jobId))
    }),
  ],
  workers: [
    daemon => {
      const commands = new CommandJobs(daemon)
      byDaemon.set(daemon, commands)
      return commands
    },
  ],
}
