import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Flags } from '@oclif/core'
import { messageTabs, messageText, type ShownMessage } from '../../cli/agents/messages.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { signalOfReader } from '../../cli/terminal/progress.js'
import { call } from '../../client/call.js'

/** Poll interval: messages are rare, and a poll is one small query. */
const lookMs = 1000

interface InboxWatch {
  /** Returns unread messages since a time, newest first. */
  look(since: string | undefined): Promise<readonly ShownMessage[]>
  onMessage(message: ShownMessage): Promise<void>
  signal: AbortSignal
}

export default class MessagesWatch extends DaemonCommand {
  static override summary = 'Show new messages as they arrive, until Ctrl-C.'
  static override description =
    'Starts with unread messages. With --ack, each message is marked as read once it is shown. When piped, ' +
    'prints messages in the format of memory messages inbox; with --json, one JSON object per line.'
  static override examples = ['<%= config.bin %> messages watch --agent ben --ack']
  static override flags = {
    ack: Flags.boolean({ summary: 'Mark each message as read.' }),
    session: Flags.string({
      summary: 'Only messages visible to this session of the agent.',
      helpValue: 'KEY',
    }),
  }

  /** With --json each line is printed as it arrives, without a final value. */
  protected override logJson(): void {}

  async run(): Promise<void> {
    const { flags } = await this.parse(MessagesWatch)
    // If the daemon is stopped while this runs, it must not be started again, and this command ends.
    await this.call('GET /health')
    const signal = signalOfReader()
    if (process.stdout.isTTY) printNote('Waiting for messages. Press Ctrl-C to stop.')
    await watchInbox({
      signal,
      look: since => this.unread(since, flags.session),
      onMessage: async message => {
        if (this.jsonEnabled()) print(JSON.stringify(message))
        else if (process.stdout.isTTY)
          print(`${messageText(message, { colors: colorsFor(), now: Date.now() })}\n`)
        else print(messageTabs(message))
        if (!flags.ack) return
        // A message written to a closed pipe was not shown, so it must not be acknowledged.
        await nextTurn()
        if (signal.aborted) return
        const request = { params: { messageId: message.id }, body: {} }
        await call('POST /api/cross-agent/messages/:messageId/ack', request, this.reach)
      },
    })
  }

  private get reach() {
    return { ...this.globals, autostart: false }
  }

  private async unread(since: string | undefined, session: string | undefined): Promise<ShownMessage[]> {
    const found: ShownMessage[] = []
    for (;;) {
      const query = { unread_only: true, since, session_key: session, limit: 100, offset: found.length }
      const { items, hasMore } = await call('GET /api/cross-agent/messages', { query }, this.reach)
      found.push(...items)
      if (!hasMore) return found
    }
  }
}

/**
 * Reports unread messages as they arrive, oldest first and each once, until the signal aborts. It begins with
 * those that are unread at the start.
 */
async function watchInbox({ look, onMessage, signal }: InboxWatch): Promise<void> {
  const shown = new Set<string>()
  for (let since: string | undefined; !signal.aborted; ) {
    const found = await look(since)
    for (const message of [...found].reverse()) {
      if (signal.aborted) return
      if (shown.has(message.id)) continue
      shown.add(message.id)
      since = message.createdAt
      await onMessage(message)
    }
    await delay(lookMs, undefined, { signal }).catch(() => undefined)
  }
}
