import { Args } from '@oclif/core'
import { agentText, policyFlags } from '../../cli/agents/agents.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsCreate extends DaemonCommand {
  static override summary = 'Add an agent; it reads its own memories only unless you say otherwise.'
  static override description =
    'An agent needs no registration: whoever saves under a name that is new is added with the policy shared.'
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
