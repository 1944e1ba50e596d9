import { diagnosticsText, pluginArg } from '../../cli/agents/plugins.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, outputWidth, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsShow extends DaemonCommand {
  static override summary = 'Show a plugin: its capabilities, its active parts, and why others are inactive.'
  static override examples = ['<%= config.bin %> plugins show service.secrets']
  static override args = { id: pluginArg }

  async run(): Promise<Reply<'GET /api/plugins/:id/diagnostics'>> {
    const { args } = await this.parse(PluginsShow)
    const diagnostics = await this.call('GET /api/plugins/:id/diagnostics', { params: { id: args.id } })
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (!this.jsonEnabled()) print(diagnosticsText(diagnostics, { colors: colorsFor(), width }))
    return diagnostics
  }
}
