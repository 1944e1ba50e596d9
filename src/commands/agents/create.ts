import { Args } from '@oclif/core'
import { agentText, policyFlags } from '../../cli/agents/agents.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsCreate extends DaemonCommand {
  static override summary = 'Create an agent. By default it reads only its own memories.'
  static override description =
    'Creating an agent is optional: saving a memory under a new agent name adds that agent with the policy ' +
    '"shared".'
  static override examples = [
    '<%= config.bin %> agents create maya',
    '<%= config.bin %> agents create noor --policy group --group web',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the agent.', required: true, ignoreStdin: true }),
  }
  static override flags = policyFlags

  async run(): Promise<Reply<'POST /api/agents'>> {
    const { args, flags } = await this.parse(AgentsCreate)
    const body = { name: args.name, read_policy: flags.policy, policy_group: flags.group }
    const agent = await this.call('POST /api/agents', { body })
    if (!this.jsonEnabled()) print(agentText(agent, { colors: colorsFor(), now: Date.now() }))
    return agent
  }
}
