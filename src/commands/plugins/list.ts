import { pluginTable, waitingLines } from '../../cli/agents/plugins/plugin-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, outputWidth, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsList extends DaemonCommand {
  static override summary = 'List the plugins, and what waits for a decision.'
  static override description =
    'Two plugins come with memory-service: service.secrets, which is on, and service.codeindex, which is off until it ' +
    'is enabled. Others are folders of the workspace, plugins/ID with a plugin.json, and may add to what sessions are told. In a ' +
    'pipe: one line a plugin with tab-separated fields: id, state, version, granted capabilities, description.'
  static override examples = ['<%= config.bin %> plugins list', '<%= config.bin %> plugins list --json']

  async run(): Promise<Reply<'GET /api/plugins'>> {
    await this.parse(PluginsList)
    const reply = await this.call('GET /api/plugins')
    if (this.jsonEnabled()) return reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    print(pluginTable(reply.plugins, { colors: colorsFor(), width }))
    const waiting = waitingLines(reply.plugins)
    if (waiting.length > 0) printNote(waiting.join('\n'))
    return reply
  }
}
