import * as contract from '../../../contract/secrets/exec.js'
import { route } from '../../platform/http/bind.js'
import { commandJobs } from './command-jobs.js'
import { followOutput } from './follow-output.js'

export const routes = [
  route(contract.runCommand, (daemon, { caller, body }) => commandJobs.of(daemon).admit(caller, body)),
  route(contract.runCommandWith, (daemon, { caller, params: { name }, body }) =>
    commandJobs.of(daemon).admit(caller, { ...body, secrets: body.secrets ?? { [name]: name } }),
  ),
  route(
    contract.commandStatus,
    async (daemon, { params }) => commandJobs.of(daemon).find(params.jobId).state,
  ),
  route(contract.cancelCommand, async (daemon, { params }) => {
    const { state } = await commandJobs.of(daemon).cancel(params.jobId)
    return state
  }),
  route(contract.commandOutput, async (daemon, { params }) => {
    const jobs = commandJobs.of(daemon)
    return followOutput(jobs, jobs.find(params.jobId))
  }),
]
