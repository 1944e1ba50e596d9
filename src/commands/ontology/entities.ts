import { Args, Flags } from '@oclif/core'
import { entityTable } from '../../cli/knowledge/ontology/ontology-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems, sortFlag } from '../../cli/shell/list-output.js'
import { colorsFor, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class OntologyEntities extends DaemonCommand {
  static override summary = 'List entities, most recently changed first.'
  static override description =
    'When piped, prints one entity per line with tab-separated fields: id, updatedAt, type, name, aliases.'
  static override examples = [
    '<%= config.bin %> ontology entities',
    '<%= config.bin %> ontology entities orion',
  ]
  static override args = {
    name: Args.string({ description: 'Beginning of a name or alias.', ignoreStdin: true }),
  }
  static override flags = {
    ...listFlags,
    sort: sortFlag('changed', 'Order of the entities; with a name they are ordered by name.'),
    limit: Flags.integer({
      summary: 'Maximum number of entities.',
      char: 'n',
      default: 50,
      min: 1,
      max: 200,
    }),
    offset: Flags.integer({ summary: 'Number of entities to skip.', default: 0, min: 0, max: 100_000 }),
  }

  async run(): Promise<Reply<'GET /api/ontology/entities'>> {
    const { args, flags } = await this.parse(OntologyEntities)
    const { limit, offset, sort } = flags
    const reply = await this.call('GET /api/ontology/entities', {
      query: { q: args.name, limit, offset, sort },
    })
    const page = listPage(reply.entities, { total: null, offset, more: reply.hasMore })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'entity',
      reply.entities.map(({ id }) => id),
    )
    const tabs = process.stdout.isTTY !== true
    if (reply.count > 0)
      await printLong(entityTable(reply.entities, { colors: colorsFor(), now: Date.now(), tabs }))
    const next = reply.hasMore ? `, next: --offset ${offset + reply.count}` : ''
    const footer = reply.count === 0 ? 'No entities.' : `${countOf(reply.count, 'entity', 'entities')}${next}`
    printNote(colorsFor(process.stderr).dim(footer))
    return reply
  }
}
