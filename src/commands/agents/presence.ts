import { Flags } from '@oclif/core'
import { presenceTable } from '../../cli/agents/messages.js'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsPresence extends DaemonCommand {
  static override summary = 'List live agent sessions, which can answer a message now.'
  static override description =
    'When piped, prints one session per line with tab-separated fields: agent, session, harness, last seen, ' +
    'project.'
  static override examples = [
    '<%= config.bin %> agents presence',
    '<%= config.bin %> agents presence --project shop',
  ]
  static override flags = {
    others: Flags.boolean({ summary: 'Leave out sessions of the calling agent.' }),
    project: projectFlag({ summary: 'Only sessions in this project.' }),
    limit: Flags.integer({
      summary: 'Maximum number of sessions.',
      char: 'n',
      default: 100,
      min: 1,
      max: 500,
    }),
  }

  async run(): Promise<Reply<'GET /api/cross-agent/presence'>> {
    const { others, project, limit } = (await this.parse(AgentsPresence)).flags
    const reply = await this.call('GET /api/cross-agent/presence', {
      query: { project, limit, include_self: !others },
    })
    if (this.jsonEnabled()) return reply
    const tabs = !process.stdout.isTTY
    if (reply.count === 0) printNote('No live sessions. Messages wait until the agent starts one.')
    else
      print(
        presenceTable(tabs ? reply.sessions : await this.withProjectNames(reply.sessions), {
          colors: colorsFor(),
          now: Date.now(),
          tabs,
        }),
      )
    return reply
  }
}
