import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins/plugin-command.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsEnable extends PluginChangeCommand {
  static override summary = 'Switch a plugin on.'
  static override description =
    'Its routes, commands and tools answer again as far as they are granted. Sessions that start now are told what it contributes.'
  static override examples = ['<%= config.bin %> plugins enable service.codeindex']
  static override args = { id: pluginArg }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args } = await this.parse(PluginsEnable)
    return this.change(args.id, { enabled: true })
  }
}
