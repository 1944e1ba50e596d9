import { Args, Flags } from '@oclif/core'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { blackBoxTable, blackBoxText } from '../../cli/sessions/blackbox.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsBlackbox extends DaemonCommand {
  static override summary =
    'Show what a session requested, received and why, and wrote; without a key, list recorded sessions.'
  static override description =
    'Below each start, prompt and recall are the rows it returned: kind, id, the channel that chose it, ' +
    'score, and how many rows were omitted for which reason. Records are kept for 30 days, also after the ' +
    'end of a session. When piped, the list prints one session per line with tab-separated fields: key, ' +
    'recall events, artifact events, last event, project. -q and --format are for the list.'
  static override examples = [
    '<%= config.bin %> sessions blackbox',
    '<%= config.bin %> sessions blackbox 0198c0de-0000-7000-8000-000000000001',
  ]
  static override args = {
    key: rowOf('session', Args.string({ description: 'Key of the session.', ignoreStdin: true })),
  }
  static override flags = {
    ...listFlags,
    limit: Flags.integer({
      summary: 'Maximum number of sessions.',
      char: 'n',
      default: 50,
      min: 1,
      max: 500,
    }),
    project: projectFlag({ summary: 'Only sessions in this project.' }),
  }

  async run(): Promise<Reply<'GET /api/sessions/blackbox'> | Reply<'GET /api/sessions/:key/blackbox'>> {
    const { args, flags } = await this.parse(SessionsBlackbox)
    const { limit, project } = flags
    const view = { colors: colorsFor(), now: Date.now(), tabs: !process.stdout.isTTY }
    if (args.key !== undefined) {
      const box = await this.call('GET /api/sessions/:key/blackbox', {
        params: { key: args.key },
        query: { project },
      })
      if (this.jsonEnabled()) return box
      print(blackBoxText(box, view))
      if (process.stdout.isTTY) printNote('\nNext start, and why: memory preview --diff')
      return box
    }
    const reply = await this.call('GET /api/sessions/blackbox', { query: { limit, project } })
    const page = listPage(reply.sessions, { total: null, more: false })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'sessionKey')) return reply
    this.keepRows(
      'session',
      reply.sessions.map(({ sessionKey }) => sessionKey),
    )
    if (reply.count === 0)
      printNote('No recorded sessions. Next: start a connected agent (memory connect lists them)')
    else print(blackBoxTable(view.tabs ? reply.sessions : await this.withProjectNames(reply.sessions), view))
    return reply
  }
}
