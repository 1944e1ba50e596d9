import { Flags } from '@oclif/core'
import { sourceLines, sourceTable } from '../../cli/knowledge/sources/source-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, outputWidth, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesList extends DaemonCommand {
  static override summary = 'List sources, oldest first.'
  static override description =
    'When piped, prints one source per line with tab-separated fields: id, kind, job, health, artifacts, ' +
    'time it was last read, name, place, agent.'
  static override examples = ['<%= config.bin %> sources list', '<%= config.bin %> sources list --json']
  static override flags = {
    ...listFlags,
    readable: Flags.boolean({
      summary: 'Also list sources of other agents that this agent can search.',
    }),
  }

  async run(): Promise<Reply<'GET /api/sources'>> {
    const { flags } = await this.parse(SourcesList)
    const reply = await this.call('GET /api/sources', { query: { readable: flags.readable } })
    const page = listPage(reply.sources, { total: reply.sources.length })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'source',
      reply.sources.map(({ id }) => id),
    )
    const view = { colors: colorsFor(), now: Date.now(), columns: outputWidth(), withAgents: flags.readable }
    if (reply.sources.length > 0)
      print(process.stdout.isTTY === true ? sourceTable(reply.sources, view) : sourceLines(reply.sources))
    else printNote('No sources. Next: memory sources add obsidian PATH')
    return reply
  }
}
