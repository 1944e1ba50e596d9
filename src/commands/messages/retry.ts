import { Args } from '@oclif/core'
import { showSent } from '../../cli/agents/messages.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import type { Reply } from '../../contract/api.js'

/** What a relay may take, and the daemon itself. */
const timeoutMs = 130_000

export default class MessagesRetry extends DaemonCommand {
  static override summary = 'Relay a message again of which nobody knows whether it arrived.'
  static override description =
    'Only for messages to other servers whose state is indeterminate, twice at most. The other server can tell by the id ' +
    'that it is the same message.'
  static override examples = ['<%= config.bin %> messages retry 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: Args.string({ description: 'Id of the message.', required: true, ignoreStdin: true }),
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
