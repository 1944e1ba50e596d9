import { Args } from '@oclif/core'
import { sessionText, workText } from '../../cli/sessions/session-table.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsShow extends DaemonCommand {
  static override summary =
    'Show a session: its runtime and project while it is live, and what it did with tools.'
  static override examples = ['<%= config.bin %> sessions show 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    key: rowOf(
      'session',
      Args.string({ description: 'Key of the session.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<
    Partial<Reply<'GET /api/sessions/:key'>> & { work: Reply<'GET /api/sessions/:key/work'> }
  > {
    const { args } = await this.parse(SessionsShow)
    const params = { key: args.key }
    const work = await this.call('GET /api/sessions/:key/work', { params })
    const session = await this.call('GET /api/sessions/:key', { params }).catch((error: unknown) => {
      if (work.turns.length === 0) throw error
      return undefined
    })
    const shown = { colors: colorsFor(), now: Date.now() }
    if (this.jsonEnabled()) return { ...session, work }
    const live = await this.withProjectNames(session ? [session] : [])
    print([...live.map(one => sessionText(one, shown)), workText(work, shown)].join('\n').trimEnd())
    return { ...session, work }
  }
}
