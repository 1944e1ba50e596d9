import { Args } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

type AckReply = Reply<'POST /api/cross-agent/messages/:messageId/ack'>

export default class MessagesAck extends DaemonCommand {
  static override summary = 'Mark messages as read.'
  static override description =
    'Marks them only for the calling agent (--agent): a broadcast message stays unread for the others.'
  static override examples = [
    '<%= config.bin %> messages ack 0198c0de-0000-7000-8000-000000000001 --agent ben',
  ]
  static override args = {
    id: rowOf(
      'message',
      Args.string({
        description: 'Ids of the messages.',
        required: true,
        multiple: true,
        ignoreStdin: true,
      }),
    ),
  }

  async run(): Promise<{ acknowledged: AckReply[] }> {
    const { args } = await this.parse(MessagesAck)
    const acknowledged: AckReply[] = []
    for (const messageId of args.id) {
      const one = await this.call('POST /api/cross-agent/messages/:messageId/ack', {
        params: { messageId },
        body: {},
      })
      acknowledged.push(one)
      const what = one.alreadyAcknowledged ? 'was already read' : 'marked as read'
      if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} ${messageId} ${what}`)
    }
    return { acknowledged }
  }
}
