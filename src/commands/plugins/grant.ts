import { Args, Flags } from '@oclif/core'
import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins/plugin-command.js'
import { CliError } from '../../cli/shell/cli-error.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsGrant extends PluginChangeCommand {
  static override summary = 'Let a plugin do what it declares.'
  static override description =
    'A plugin does what it declares and was granted. Those that come with memory-service are granted what their first ' +
    'version declares; what a later version adds, and everything of other plugins, waits for this command.'
  static override examples = [
    '<%= config.bin %> plugins grant service.secrets secrets:exec',
    '<%= config.bin %> plugins grant acme.notes --pending',
  ]
  static override strict = false
  static override args = {
    id: pluginArg,
    capability: Args.string({ description: 'What it may do, one or several.', ignoreStdin: true }),
  }
  static override flags = {
    pending: Flags.boolean({ summary: 'Everything that it declares and was not granted.' }),
  }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args, argv, flags } = await this.parse(PluginsGrant)
    const named = argv.slice(1).map(String)
    if ((flags.pending ?? false) === named.length > 0)
      throw new CliError('say which capabilities: name them, or --pending for all that wait', {
        code: 'usage',
        exit: 'usage',
        nextSteps: [`memory plugins show ${args.id}`],
      })
    const { id } = args
    const grant = flags.pending
      ? (await this.call('GET /api/plugins/:id', { params: { id } })).pendingCapabilities
      : named
    if (grant.length === 0)
      throw new CliError(`${id} waits for nothing`, {
        code: 'conflict',
        exit: 'refused',
        nextSteps: [`memory plugins show ${id}`],
      })
    return this.change(id, { grant })
  }
}
