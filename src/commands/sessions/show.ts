import { Args } from '@oclif/core'
import { sessionText } from '../../cli/sessions/session-table.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsShow extends DaemonCommand {
  static override summary =
    'Show a live session: its runtime, whether its hooks are silenced, and its project.'
  static override examples = ['<%= config.bin %> sessions show 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    key: rowOf(
      'session',
      Args.string({ description: 'Key of the session.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'GET /api/sessions/:key'>> {
    const { args } = await this.parse(SessionsShow)
    const session = await this.call('GET /api/sessions/:key', { params: { key: args.key } })
    if (!this.jsonEnabled()) print(sessionText(session, { colors: colorsFor(), now: Date.now() }))
    return session
  }
}
