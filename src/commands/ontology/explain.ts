import { Args, Flags } from '@oclif/core'
import { explanationText } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyExplain extends DaemonCommand {
  static override summary = 'Explain a fact: its values over time, and the quotes that support them.'
  static override description =
    'Each quote is looked up in the current text of its source. The fact is "verified" only if all quotes ' +
    'are found.'
  static override examples = ['<%= config.bin %> ontology explain Orion deployment database']
  static override args = {
    entity: rowOf(
      'entity',
      Args.string({ description: 'Name or alias of the entity.', required: true, ignoreStdin: true }),
    ),
    aspect: Args.string({
      description: 'Topic of the entity, such as deployment.',
      required: true,
      ignoreStdin: true,
    }),
    claim: Args.string({
      description: 'Name of the fact, such as database.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    group: Flags.string({ summary: 'Group of facts within the aspect.', default: 'general' }),
    kind: Flags.option({
      summary: 'Only a fact of this kind.',
      options: ['attribute', 'constraint'] as const,
    })(),
    versions: Flags.integer({ summary: 'Maximum number of values.', default: 20, min: 1, max: 50 }),
    premises: Flags.integer({ summary: 'Maximum number of premises.', default: 50, min: 1, max: 100 }),
    conclusions: Flags.integer({ summary: 'Maximum number of conclusions.', default: 50, min: 1, max: 100 }),
    depth: Flags.integer({ summary: 'Maximum number of steps from the fact.', default: 3, min: 0, max: 3 }),
    session: Flags.string({ summary: 'Fail if a premise belongs to another session.', helpValue: 'KEY' }),
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
