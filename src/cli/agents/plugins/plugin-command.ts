import { Args } from '@oclif/core'
import type { Reply, Request } from '../../../contract/api.js'
import { DaemonCommand } from '../../shell/daemon-command.js'
import { print } from '../../terminal/output.js'
import { changedText } from './plugin-text.js'

type Address = 'PATCH /api/plugins/:id'

export const pluginArg = Args.string({
  description: 'Id of the plugin, see memory plugins list.',
  required: true,
  ignoreStdin: true,
})

/** A command that changes a plugin and prints its new state. */
export abstract class PluginChangeCommand extends DaemonCommand {
  protected async change(id: string, body: Request<Address>['body']): Promise<Reply<Address>> {
    const plugin = await this.call('PATCH /api/plugins/:id', { params: { id }, body })
    if (!this.jsonEnabled()) print(changedText(plugin))
    return plugin
  }
}
