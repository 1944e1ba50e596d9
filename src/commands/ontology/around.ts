import { Args, Flags } from '@oclif/core'
import { neighbourhoodTable } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class OntologyAround extends DaemonCommand {
  static override summary = 'Show the relations of an entity and its neighbours.'
  static override description =
    'When piped, prints one relation per line with tab-separated fields: ids of both entities, name, ' +
    'relation, name.'
  static override examples = [
    '<%= config.bin %> ontology around Orion',
    '<%= config.bin %> ontology around Orion --depth 2',
  ]
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
  static override flags = {
    depth: Flags.integer({ summary: 'Number of steps from the entity.', default: 1, min: 1, max: 2 }),
    limit: Flags.integer({
      summary: 'Maximum number of entities.',
      char: 'n',
      default: 200,
      min: 1,
      max: 1000,
    }),
  }

  async run(): Promise<Reply<'GET /api/ontology/entities/:id/neighbourhood'>> {
    const { args, flags } = await this.parse(OntologyAround)
    const { depth, limit } = flags
    const reply = await this.call('GET /api/ontology/entities/:id/neighbourhood', {
      params: { id: args.entity },
      query: { depth, limit },
    })
    if (this.jsonEnabled()) return reply
    const { nodes, links, truncated } = reply
    const tabs = process.stdout.isTTY !== true
    if (links.length > 0) print(neighbourhoodTable(reply, { colors: colorsFor(), tabs }))
    const more = truncated ? ' (incomplete; raise --limit or choose another entity)' : ''
    const shown = `${countOf(nodes.length, 'entity', 'entities')}, ${countOf(links.length, 'relation')}${more}`
    printNote(colorsFor(process.stderr).dim(shown))
    return reply
  }
}
