import * as contract from '../../../contract/secrets/exec.js'
import { keptByDaemon } from '../../platform/daemon/kept-by-daemon.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { CommandJobs } from './command-jobs.js'
import { followOutput } from './follow-output.js'

const commands = keptByDaemon<CommandJobs>()

/** Commands with secrets (secret-commands.md). */
export const exec: Domain = {
  routes: [
    route(contract.runCommand, (daemon, { caller, body }) => commands.of(daemon).admit(caller, body)),
    route(contract.runCommandWith, (daemon, { caller, params: { name }, body }) =>
      commands.of(daemon).admit(caller, { ...body, secrets: body.secrets ?? { [name]: name } }),
    ),
    route(contract.commandStatus, async (daemon, { params }) => commands.of(daemon).find(params.jobId).state),
    route(contract.cancelCommand, async (daemon, { params }) => {
      const { state } = await commands.of(daemon).cancel(params.jobId)
      return state
    }),
    route(contract.commandOutput, async (daemon, { params }) => {
      const jobs = commands.of(daemon)
      return followOutput(jobs, jobs.find(params.jobId))
    }),
  ],
  workers: [daemon => commands.keep(daemon, new CommandJobs(daemon))],
}
