import { Args, Flags } from '@oclif/core'
import { neighbourhoodTable } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class OntologyAround extends DaemonCommand {
  static override summary = 'Show how the entities around one are related.'
  static override description =
    'A table on a terminal. In a pipe: one line a relation with tab-separated fields: ids of both, name, relation, name.'
  static override examples = [
    '<%= config.bin %> ontology around Orion',
    '<%= config.bin %> ontology around Orion --depth 2',
  ]
  static override args = {
    entity: Args.string({ description: 'Its id, name or an alias.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    depth: Flags.integer({ summary: 'Relations from it to the outermost.', default: 1, min: 1, max: 2 }),
    limit: Flags.integer({
      summary: 'At most this many entities.',
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
    const more = truncated ? ', not all there is: ask with a higher --limit, or for one of them' : ''
    const shown = `${countOf(nodes.length, 'entity', 'entities')}, ${countOf(links.length, 'relation')}${more}`
    printNote(colorsFor(process.stderr).dim(shown))
    return reply
  }
}
