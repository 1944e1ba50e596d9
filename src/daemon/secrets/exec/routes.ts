import * as contract from '../../../contract/secrets/exec.js'
import { route } from '../../platform/http/bind.js'
import { folderOf } from './command-folder.js'
import { commandJobs } from './command-jobs.js'
import { followOutput } from './follow-output.js'

export const routes = [
  route(contract.runCommand, async (daemon, { caller, body, headers }) =>
    commandJobs.of(daemon).admit(caller, { ...body, cwd: body.cwd ?? (await folderOf(caller, headers)) }),
  ),
  route(contract.runCommandWith, async (daemon, { caller, params: { name }, body, headers }) =>
    commandJobs.of(daemon).admit(caller, {
      ...body,
      cwd: body.cwd ?? (await folderOf(caller, headers)),
      secrets: body.secrets ?? { [name]: name },
    }),
  ),
  route(
    contract.commandStatus,
    async (daemon, { params }) => (await commandJobs.of(daemon).find(params.jobId)).state,
  ),
  route(contract.cancelCommand, async (daemon, { params }) => {
    const { state } = await commandJobs.of(daemon).cancel(params.jobId)
    return state
  }),
  route(contract.commandOutput, async (daemon, { params }) => {
    const jobs = commandJobs.of(daemon)
    return followOutput(jobs, await jobs.find(params.jobId))
  }),
]
