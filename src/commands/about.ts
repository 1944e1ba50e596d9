import { Args, Flags } from '@oclif/core'
import { aboutFacts, aboutRows, aboutText } from '../cli/knowledge/ontology/about-text.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, print } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { Reply } from '../contract/api.js'

const mostFacts = 200

export default class About extends DaemonCommand {
  static override summary = 'Tell what is known about a person, project, tool or anything else, with sources.'
  static override description =
    'Shows at most 25 lines, grouped by aspect. Each fact has the date since when it is true, or was noted, ' +
    'and the id of the memory or document that says so, and its project if there are several. When piped, ' +
    'prints one fact per line with tab-separated fields: aspect, fact, since, kind and id of the source, ' +
    'quote, project.'
  static override examples = ['<%= config.bin %> about Ann', '<%= config.bin %> about billing service --all']
  static override args = {
    name: rowOf(
      'entity',
      Args.string({
        description: 'Name, alias or id of the entity; several words need no quotes.',
        required: true,
        multiple: true,
        ignoreStdin: true,
      }),
    ),
  }
  static override flags = {
    all: Flags.boolean({ summary: `Show up to ${mostFacts} facts.` }),
    aspect: Flags.string({ summary: 'Only facts of this aspect, such as rules.' }),
  }

  async run(): Promise<Reply<'GET /api/ontology/entities/:id/about'>> {
    const { args, flags } = await this.parse(About)
    const limit = flags.all || this.jsonEnabled() ? mostFacts : aboutFacts
    const reply = await this.call('GET /api/ontology/entities/:id/about', {
      params: { id: args.name.join(' ') },
      query: { limit, aspect: flags.aspect },
    })
    if (this.jsonEnabled()) return reply
    if (process.stdout.isTTY) await printLong(aboutText(reply, { colors: colorsFor(), width: outputWidth() }))
    else if (reply.total > 0) print(aboutRows(reply))
    return reply
  }
}
