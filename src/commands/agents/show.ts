import { Args } from '@oclif/core'
import { agentText } from '../../cli/agents/agents.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsShow extends DaemonCommand {
  static override summary = 'Show an agent: what it may read and what it has stored.'
  static override examples = ['<%= config.bin %> agents show maya']
  static override args = {
    name: Args.string({ description: 'Name of the agent.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'GET /api/agents/:name'>> {
    const { name } = (await this.parse(AgentsShow)).args
    const agent = await this.call('GET /api/agents/:name', { params: { name }, query: { counts: true } })
    if (!this.jsonEnabled()) print(agentText(agent, { colors: colorsFor(), now: Date.now() }))
    return agent
  }
}
