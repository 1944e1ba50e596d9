import { Args, Flags } from '@oclif/core'
import { explanationText } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyExplain extends DaemonCommand {
  static override summary = 'Explain why a claim is held to be so: its values, and the quotes that say them.'
  static override description =
    'Every quote is looked up in its source as it is today. Only `verified` says that all of them stand.'
  static override examples = ['<%= config.bin %> ontology explain Orion deployment database']
  static override args = {
    entity: Args.string({ description: 'Name or alias of the entity.', required: true, ignoreStdin: true }),
    aspect: Args.string({ description: 'The side of it.', required: true, ignoreStdin: true }),
    claim: Args.string({ description: 'The slot.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    group: Flags.string({ summary: 'The group of claims.', default: 'general' }),
    kind: Flags.option({
      summary: 'Only a claim of this kind.',
      options: ['attribute', 'constraint'] as const,
    })(),
    versions: Flags.integer({ summary: 'At most this many values.', default: 20, min: 1, max: 50 }),
    premises: Flags.integer({ summary: 'At most this many premises.', default: 50, min: 1, max: 100 }),
    conclusions: Flags.integer({ summary: 'At most this many conclusions.', default: 50, min: 1, max: 100 }),
    depth: Flags.integer({ summary: 'Steps from the claim.', default: 3, min: 0, max: 3 }),
    session: Flags.string({ summary: 'Fail when a premise is of another session.', helpValue: 'KEY' }),
  }

  async run(): Promise<Reply<'GET /api/ontology/claims/explain'>> {
    const { args, flags } = await this.parse(OntologyExplain)
    const query = {
      ...args,
      group: flags.group,
      kind: flags.kind,
      version_limit: flags.versions,
      premise_limit: flags.premises,
      reverse_limit: flags.conclusions,
      max_depth: flags.depth,
      session_key: flags.session,
    }
    const reply = await this.call('GET /api/ontology/claims/explain', { query })
    if (!this.jsonEnabled()) print(explanationText(reply, colorsFor()))
    return reply
  }
}
