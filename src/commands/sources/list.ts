import { Flags } from '@oclif/core'
import { folderLines, folderTable } from '../../cli/knowledge/connectors.js'
import { sourceLines, sourceTable } from '../../cli/knowledge/sources/source-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, outputWidth, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import type { Reply } from '../../contract/api.js'

export default class SourcesList extends DaemonCommand {
  static override summary = 'List everything that is followed: vaults, repositories and folders.'
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

  async run(): Promise<Reply<'GET /api/sources'> & Pick<Reply<'GET /api/connectors'>, 'connectors'>> {
    const { flags } = await this.parse(SourcesList)
    const reply = await this.call('GET /api/sources', { query: { readable: flags.readable } })
    const { connectors } = await this.call('GET /api/connectors')
    const { sources } = reply
    const all = [...sources, ...connectors.map(one => ({ ...one, kind: 'folder', name: one.display_name }))]
    const page = listPage(all, { total: all.length })
    if (this.jsonEnabled()) return { ...reply, connectors, ...page }
    if (printItems(page, flags)) return { ...reply, connectors }
    this.keepRows(
      'source',
      all.map(({ id }) => id),
    )
    const view = { colors: colorsFor(), now: Date.now(), columns: outputWidth(), withAgents: flags.readable }
    const lines = process.stdout.isTTY
      ? [sourceTable(sources, view), folderTable(connectors, view)]
      : [sourceLines(sources), folderLines(connectors)]
    if (all.length > 0) await printLong(lines.filter(Boolean).join('\n'))
    else printNote('No sources. Next: memory sources add obsidian PATH, or memory sources add folder PATH')
    return { ...reply, connectors }
  }
}
