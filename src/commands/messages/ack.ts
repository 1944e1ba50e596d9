import { Args } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

type Acknowledged = Reply<'POST /api/cross-agent/messages/:messageId/ack'>

export default class MessagesAck extends DaemonCommand {
  static override summary = 'Mark messages as read.'
  static override description =
    'Only for the agent that acts (--agent): a message to all stays unread for the others.'
  static override examples = [
    '<%= config.bin %> messages ack 0198c0de-0000-7000-8000-000000000001 --agent ben',
  ]
  static override args = {
    id: Args.string({ description: 'Ids of messages.', required: true, multiple: true, ignoreStdin: true }),
  }

  async run(): Promise<{ acknowledged: Acknowledged[] }> {
    const { args } = await this.parse(MessagesAck)
    const acknowledged: Acknowledged[] = []
    for (const messageId of args.id) {
      const one = await this.call('POST /api/cross-agent/messages/:messageId/ack', {
        params: { messageId },
        body: {},
      })
      acknowledged.push(one)
      const what = one.alreadyAcknowledged ? 'was read already' : 'is read'
      if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} ${messageId} ${what}`)
    }
    return { acknowledged }
  }
}
