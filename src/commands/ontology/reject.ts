import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyReject extends DaemonCommand {
  static override summary = 'Reject a proposal.'
  static override examples = [
    '<%= config.bin %> ontology reject 0198c0de-0000-7000-8000-000000000001 --reason "it is not so"',
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

  async run(): Promise<Reply<'POST /api/ontology/proposals/:id/reject'>> {
    const { args, flags } = await this.parse(OntologyReject)
    const reply = await this.call('POST /api/ontology/proposals/:id/reject', {
      params: { id: args.id },
      body: { reason: flags.reason },
    })
    if (!this.jsonEnabled()) print('Rejected')
    return reply
  }
}
