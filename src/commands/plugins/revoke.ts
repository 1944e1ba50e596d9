import { Args } from '@oclif/core'
import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsRevoke extends PluginChangeCommand {
  static override summary = 'Revoke capabilities of a plugin; the rest of the plugin keeps working.'
  static override examples = ['<%= config.bin %> plugins revoke service.secrets secrets:exec']
  static override strict = false
  static override args = {
    id: pluginArg,
    capability: Args.string({
      description: 'Capabilities to revoke.',
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args, argv } = await this.parse(PluginsRevoke)
    return this.change(args.id, { revoke: argv.slice(1).map(String) })
  }
}
