import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsEnable extends PluginChangeCommand {
  static override summary = 'Enable a plugin.'
  static override description =
    'Its routes, commands and tools work again if their capabilities are granted. New sessions see its ' +
    'contributions.'
  static override examples = ['<%= config.bin %> plugins enable service.codeindex']
  static override args = { id: pluginArg }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args } = await this.parse(PluginsEnable)
    return this.change(args.id, { enabled: true })
  }
}
