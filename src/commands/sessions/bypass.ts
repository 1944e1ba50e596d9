import { Args, Flags } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SessionsBypass extends DaemonCommand {
  static override summary = 'Silence the hooks of a session; its memory tools keep working.'
  static override examples = [
    '<%= config.bin %> sessions bypass 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> sessions bypass 0198c0de-0000-7000-8000-000000000001 --off',
  ]
  static override args = {
    key: rowOf(
      'session',
      Args.string({ description: 'Key of the session.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    off: Flags.boolean({ summary: 'Turn the hooks of the session back on.' }),
  }

  async run(): Promise<Reply<'POST /api/sessions/:key/bypass'>> {
    const { args, flags } = await this.parse(SessionsBypass)
    const reply = await this.call('POST /api/sessions/:key/bypass', {
      params: { key: args.key },
      body: { enabled: !flags.off },
    })
    if (!this.jsonEnabled())
      print(
        reply.bypassed ? `Silenced the hooks of ${reply.key}` : `Turned the hooks of ${reply.key} back on`,
      )
    return reply
  }
}
