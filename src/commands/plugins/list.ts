import { pluginTable, waitingLines } from '../../cli/agents/plugins.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, outputWidth, print, printNote } from '../../cli/terminal/output.js'
import { printStays } from '../../cli/terminal/stays.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsList extends DaemonCommand {
  static override summary = 'List plugins, and the capabilities that need a decision.'
  static override description =
    'Two plugins are bundled: service.secrets, which is enabled, and service.codeindex, which is disabled by ' +
    'default. Other plugins are folders of the workspace, plugins/ID with a plugin.json, and can add to the ' +
    'context of sessions. When piped, prints one plugin per line with tab-separated fields: id, state, ' +
    'version, granted capabilities, description.'
  static override examples = ['<%= config.bin %> plugins list', '<%= config.bin %> plugins list --json']
  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/plugins'>> {
    const { flags } = await this.parse(PluginsList)
    const reply = await this.call('GET /api/plugins')
    const page = listPage(reply.plugins, { total: reply.plugins.length })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    print(pluginTable(reply.plugins, { colors: colorsFor(), width }))
    const waiting = waitingLines(reply.plugins)
    if (waiting.length > 0) printNote(waiting.join('\n'))
    printStays(reply.stays, 'plugins')
    return reply
  }
}
