import { DaemonCommand } from '../../cli/daemon-command.js'
import { sourceTable } from '../../cli/knowledge/source-text.js'
import { colorsFor, print, printNote } from '../../cli/output.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesList extends DaemonCommand {
  static override summary = 'List sources, oldest first.'
  static override description =
    'In a pipe: one line a source with tab-separated fields: id, kind, job, health, artifacts, time it was last read, name, place.'
  static override examples = ['<%= config.bin %> sources list', '<%= config.bin %> sources list --json']

  async run(): Promise<Reply<'GET /api/sources'>> {
    await this.parse(SourcesList)
    const reply = await this.call('GET /api/sources')
    if (this.jsonEnabled()) return reply
    const view = { colors: colorsFor(), now: Date.now(), tabs: process.stdout.isTTY !== true }
    if (reply.sources.length > 0) print(sourceTable(reply.sources, view))
    else printNote('No sources. Next: memory sources add obsidian PATH')
    return reply
  }
}
