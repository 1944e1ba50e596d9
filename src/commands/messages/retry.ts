import { Args } from '@oclif/core'
import { showSent } from '../../cli/agents/messages.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import type { Reply } from '../../contract/api.js'

/** Covers the time limit of a relay and the daemon's own time. */
const timeoutMs = 130_000

export default class MessagesRetry extends DaemonCommand {
  static override summary = 'Resend a message whose delivery to another server is uncertain.'
  static override description =
    'Only for messages to other servers whose state is indeterminate, at most twice. The id lets the other ' +
    'server recognise a duplicate.'
  static override examples = ['<%= config.bin %> messages retry 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf(
      'message',
      Args.string({ description: 'Id of the message.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'POST /api/cross-agent/messages/:messageId/retry'>> {
    const { args } = await this.parse(MessagesRetry)
    const message = await this.call(
      'POST /api/cross-agent/messages/:messageId/retry',
      { params: { messageId: args.id }, body: {} },
      { timeoutMs, waitingFor: 'waiting for the other server' },
    )
    showSent(message, { json: this.jsonEnabled() })
    return message
  }
}
