import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyApply extends DaemonCommand {
  static override summary = 'Apply a proposal. Its quotes are verified first.'
  static override examples = [
    '<%= config.bin %> ontology apply 0198c0de-0000-7000-8000-000000000001 --reason "it is so"',
  ]
  static override args = {
    id: rowOf(
      'proposal',
      Args.string({ description: 'Id of the proposal.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    reason: Flags.string({ summary: 'Reason, saved with the decision.', char: 'r', required: true }),
  }

  async run(): Promise<Reply<'POST /api/ontology/proposals/:id/apply'>> {
    const { args, flags } = await this.parse(OntologyApply)
    const reply = await this.call('POST /api/ontology/proposals/:id/apply', {
      params: { id: args.id },
      body: { reason: flags.reason },
    })
    if (!this.jsonEnabled()) print('Applied')
    return reply
  }
}
