import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsDisable extends PluginChangeCommand {
  static override summary = 'Disable a plugin; its stored data is kept.'
  static override description =
    'Its routes and tools answer 403 plugin_capability_denied, and new sessions do not see its ' +
    'contributions. Secrets stay stored; memory plugins enable restores everything.'
  static override examples = ['<%= config.bin %> plugins disable service.codeindex']
  static override args = { id: pluginArg }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args } = await this.parse(PluginsDisable)
    return this.change(args.id, { enabled: false })
  }
}
