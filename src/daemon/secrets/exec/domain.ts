import * as contract from '../../../contract/secrets/exec.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { CommandJobs, commandJobs } from './command-jobs.js'

/** Commands with secrets (secret-commands.md). */
export const exec: Domain = {
  routes: lateRoutes(
    [
      contract.runCommand,
      contract.runCommandWith,
      contract.commandStatus,
      contract.cancelCommand,
      contract.commandOutput,
    ],
    () => import('./routes.js'),
  ),
  workers: [daemon => commandJobs.keep(daemon, new CommandJobs(daemon))],
}
