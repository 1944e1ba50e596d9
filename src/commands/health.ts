import { Args } from '@oclif/core'
import type { Diagnosis } from '../cli/operations/doctor/doctor.js'
import { stateText } from '../cli/operations/status.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, print } from '../cli/terminal/output.js'
import { ClientError } from '../client/http/client-error.js'
import type { Reply } from '../contract/api.js'
import { domainNames } from '../contract/ground/wire-names.js'
import Diagnostics from './diagnostics.js'
import Doctor from './doctor.js'

type PartReport = Reply<'GET /api/diagnostics'> | Reply<'GET /api/diagnostics/:domain'>

export default class Health extends DaemonCommand {
  static override summary = 'Check that everything works, show what is stored, and how to fix problems.'
  static override description =
    'Shows the state of memory, then checks this machine, the daemon and everything stored, and lists what ' +
    'needs action. With the name of a part, shows every check of it. --fix repairs what is safe. The exit ' +
    'code is 6 if there is a warning or an error, and 0 otherwise.'
  static override examples = [
    '<%= config.bin %> health',
    '<%= config.bin %> health --fix',
    '<%= config.bin %> health index',
  ]
  static override args = {
    part: Args.string({
      description: 'Show only this part of memory.',
      options: [...domainNames],
      ignoreStdin: true,
    }),
  }
  static override flags = Doctor.flags

  async run(): Promise<(Diagnosis & { status: Reply<'GET /api/status'> | null }) | PartReport> {
    const { part } = (await this.parse(Health)).args
    if (part !== undefined) return new Diagnostics(this.argv, this.config).run()
    const status = await this.call('GET /api/status').catch(error => {
      // The checks explain why it does not answer.
      if (error instanceof ClientError) return null
      throw error
    })
    if (status && !this.jsonEnabled()) print(`${stateText(status, colorsFor())}\n\n`)
    return { ...(await new Doctor(this.argv, this.config).run()), status }
  }
}
