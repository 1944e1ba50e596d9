import { Flags } from '@oclif/core'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { sessionTable } from '../../cli/sessions/session-table.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsList extends DaemonCommand {
  static override summary = 'List live sessions, most recently active first.'
  static override description =
    'A session is live until its coding agent ends it, or until no hook is called for four hours. When ' +
    'piped, prints one session per line with tab-separated fields: key, agent, harness, runtime path, ' +
    'bypassed, last seen, project.'
  static override examples = [
    '<%= config.bin %> sessions list',
    '<%= config.bin %> sessions list --project /home/me/shop',
  ]
  static override flags = {
    ...listFlags,
    limit: Flags.integer({
      summary: 'Maximum number of sessions.',
      char: 'n',
      default: 100,
      min: 1,
      max: 500,
    }),
    project: projectFlag({ summary: 'Only sessions in this project.' }),
  }

  async run(): Promise<Reply<'GET /api/sessions'>> {
    const { flags } = await this.parse(SessionsList)
    const { limit, project } = flags
    const reply = await this.call('GET /api/sessions', { query: { limit, project } })
    const page = listPage(reply.sessions, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'key')) return reply
    this.keepRows(
      'session',
      reply.sessions.map(({ key }) => key),
    )
    const tabs = !process.stdout.isTTY
    if (reply.count === 0)
      printNote(
        'No live sessions. Next: start a connected agent (memory connect lists them), or see memory sessions summaries',
      )
    else print(sessionTable(reply.sessions, { colors: colorsFor(), now: Date.now(), tabs }))
    return reply
  }
}
