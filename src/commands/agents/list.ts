import { agentTable } from '../../cli/agents/agents.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsList extends DaemonCommand {
  static override summary = 'List agents and what each may read.'
  static override description =
    'When piped, prints one agent per line with tab-separated fields: name, policy, group, time of the last ' +
    'change.'
  static override examples = ['<%= config.bin %> agents list', '<%= config.bin %> agents list --json']

  async run(): Promise<Reply<'GET /api/agents'>> {
    await this.parse(AgentsList)
    const reply = await this.call('GET /api/agents')
    const tabs = !process.stdout.isTTY
    if (!this.jsonEnabled()) print(agentTable(reply.agents, { colors: colorsFor(), now: Date.now(), tabs }))
    return reply
  }
}
