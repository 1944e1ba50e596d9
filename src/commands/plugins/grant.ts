import { Args, Flags } from '@oclif/core'
import { PluginChangeCommand, pluginArg } from '../../cli/agents/plugins.js'
import { CliError } from '../../cli/shell/cli-error.js'
import type { Reply } from '../../contract/api.js'

export default class PluginsGrant extends PluginChangeCommand {
  static override summary = 'Grant capabilities to a plugin.'
  static override description =
    'A plugin can use the capabilities that it declares and that are granted. Bundled plugins start with the ' +
    'capabilities of their first version. Capabilities added by a later version, and all capabilities of ' +
    'other plugins, must be granted with this command.'
  static override examples = [
    '<%= config.bin %> plugins grant service.secrets secrets:exec',
    '<%= config.bin %> plugins grant acme.notes --pending',
  ]
  static override strict = false
  static override args = {
    id: pluginArg,
    capability: Args.string({ description: 'Capabilities to grant.', ignoreStdin: true }),
  }
  static override flags = {
    pending: Flags.boolean({ summary: 'Grant all declared capabilities that are not granted yet.' }),
  }

  async run(): Promise<Reply<'PATCH /api/plugins/:id'>> {
    const { args, argv, flags } = await this.parse(PluginsGrant)
    const named = argv.slice(1).map(String)
    if ((flags.pending ?? false) === named.length > 0)
      throw new CliError('no capability given: name one or more, or use --pending for all pending ones', {
        code: 'usage',
        exit: 'usage',
        nextSteps: [`memory plugins show ${args.id}`],
      })
    const { id } = args
    const grant = flags.pending
      ? (await this.call('GET /api/plugins/:id', { params: { id } })).pendingCapabilities
      : named
    if (grant.length === 0)
      throw new CliError(`${id} has no pending capabilities`, {
        code: 'conflict',
        exit: 'refused',
        nextSteps: [`memory plugins show ${id}`],
      })
    return this.change(id, { grant })
  }
}
