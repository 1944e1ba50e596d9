import { agentTable } from '../../cli/agents/agents.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsList extends DaemonCommand {
  static override summary = 'List agents and what each may read.'
  static override description =
    'When piped, prints one agent per line with tab-separated fields: name, policy, group, time of the last ' +
    'change.'
  static override examples = ['<%= config.bin %> agents list', '<%= config.bin %> agents list --json']
  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/agents'>> {
    const { flags } = await this.parse(AgentsList)
    const reply = await this.call('GET /api/agents')
    const page = listPage(reply.agents, { total: reply.agents.length })
    if (this.jsonEnabled()) return { ...reply, ...page }
    const tabs = !process.stdout.isTTY
    if (!printItems(page, flags, 'name'))
      print(agentTable(reply.agents, { colors: colorsFor(), now: Date.now(), tabs }))
    return reply
  }
}
