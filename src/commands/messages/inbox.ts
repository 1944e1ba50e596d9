import { Flags } from '@oclif/core'
import { messageTabs, messageText } from '../../cli/agents/messages.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class MessagesInbox extends DaemonCommand {
  static override summary = 'Show the messages of an agent, newest first.'
  static override description =
    'Showing messages does not mark them as read; memory messages ack does. When piped, prints one message ' +
    'per line with tab-separated fields: id, time, sender, target, type, read or unread, delivery, text.'
  static override examples = [
    '<%= config.bin %> messages inbox --unread',
    '<%= config.bin %> messages inbox --agent ben --sent --json',
  ]
  static override flags = {
    ...listFlags,
    unread: Flags.boolean({ summary: 'Only unread messages.' }),
    sent: Flags.boolean({ summary: 'Also messages that the agent sent.' }),
    session: Flags.string({
      summary: 'Only messages visible to this session of the agent.',
      helpValue: 'KEY',
    }),
    since: Flags.string({
      summary: 'Only messages from this time on, such as 2026-01-31.',
      helpValue: 'TIME',
    }),
    limit: Flags.integer({
      summary: 'Maximum number of messages.',
      char: 'n',
      default: 25,
      min: 1,
      max: 100,
    }),
    offset: Flags.integer({ summary: 'Number of newest messages to skip.', default: 0, min: 0 }),
  }

  async run(): Promise<Reply<'GET /api/cross-agent/messages'> & { next?: number | null }> {
    const { flags } = await this.parse(MessagesInbox)
    const { unread, sent, session, since, limit, offset } = flags
    const reply = await this.call('GET /api/cross-agent/messages', {
      query: {
        since,
        limit,
        offset,
        unread_only: unread,
        include_sent: sent,
        session_key: session,
      },
    })
    const { items, total, unreadCount } = reply
    const page = listPage(items, { total, offset: reply.offset })
    if (this.jsonEnabled()) return { ...reply, next: page.next }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'message',
      items.map(({ id }) => id),
    )
    if (items.length === 0) printNote('No messages.')
    else if (!process.stdout.isTTY) print(items.map(messageTabs).join('\n'))
    else print(items.map(one => messageText(one, { colors: colorsFor(), now: Date.now() })).join('\n\n'))
    if (reply.hasMore)
      printNote(`${total - items.length - reply.offset} more: --offset ${reply.offset + items.length}`)
    if (unreadCount > 0 && process.stdout.isTTY)
      printNote(`${unreadCount} unread. To mark one as read: memory messages ack ID`)
    return reply
  }
}
