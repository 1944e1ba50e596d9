import { Args } from '@oclif/core'
import { entityText } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class OntologyShow extends DaemonCommand {
  static override summary = 'Show the facts about an entity.'
  static override examples = ['<%= config.bin %> ontology show Orion']
  static override args = {
    entity: rowOf(
      'entity',
      Args.string({
        description: 'Id, name or alias of the entity.',
        required: true,
        ignoreStdin: true,
      }),
    ),
  }

  async run(): Promise<Reply<'GET /api/ontology/entities/:id'>> {
    const { args } = await this.parse(OntologyShow)
    const reply = await this.call('GET /api/ontology/entities/:id', { params: { id: args.entity } })
    if (!this.jsonEnabled()) print(entityText(reply, colorsFor()))
    return reply
  }
}
