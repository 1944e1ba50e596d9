import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Flags } from '@oclif/core'
import { messageTabs, messageText, type ShownMessage } from '../../cli/agents/messages.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { whileRead } from '../../cli/terminal/spinner.js'
import { call } from '../../client/call.js'

/** Between two looks: messages come rarely, and a look is one small statement. */
const lookMs = 1000

interface InboxWatch {
  /** Unread messages since then, newest first. */
  look(since: string | undefined): Promise<readonly ShownMessage[]>
  onMessage(message: ShownMessage): Promise<void>
  signal: AbortSignal
}

export default class MessagesWatch extends DaemonCommand {
  static override summary = 'Show messages as they come, until Ctrl-C.'
  static override description =
    'Begins with what is unread. With --ack each is marked as read once it is shown. In a pipe: one line a message as ' +
    'memory messages inbox prints them; with --json one JSON object a line.'
  static override examples = ['<%= config.bin %> messages watch --agent ben --ack']
  static override flags = {
    ack: Flags.boolean({ summary: 'Mark each as read.' }),
    session: Flags.string({ summary: 'As this session of the agent sees it.', helpValue: 'KEY' }),
  }

  /** Lines as they come are what --json prints; there is no value at the end. */
  protected override logJson(): void {}

  async run(): Promise<void> {
    const { flags } = await this.parse(MessagesWatch)
    // A daemon that somebody stops while this goes on stays stopped, and this ends with it.
    await this.call('GET /health')
    const signal = whileRead()
    if (process.stdout.isTTY) printNote('Waiting for messages; Ctrl-C ends it.')
    await watchInbox({
      signal,
      look: since => this.unread(since, flags.session),
      onMessage: async message => {
        if (this.jsonEnabled()) print(JSON.stringify(message))
        else if (process.stdout.isTTY)
          print(`${messageText(message, { colors: colorsFor(), now: Date.now() })}\n`)
        else print(messageTabs(message))
        if (!flags.ack) return
        // What went into a closed pipe was shown to nobody.
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
 * Tells of unread messages as they come, oldest first and each once, until the signal aborts. What is unread at the
 * start is told first.
 */
async function watchInbox({ look, onMessage, signal }: InboxWatch): Promise<void> {
  const told = new Set<string>()
  for (let since: string | undefined; !signal.aborted; ) {
    const found = await look(since)
    for (const message of [...found].reverse()) {
      if (signal.aborted) return
      if (told.has(message.id)) continue
      told.add(message.id)
      since = message.createdAt
      await onMessage(message)
    }
    await delay(lookMs, undefined, { signal }).catch(() => undefined)
  }
}
