import { Args, Flags } from '@oclif/core'
import { agentText, policyFlags } from '../../cli/agents/agents.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class AgentsEdit extends DaemonCommand {
  static override summary = 'Change which memories an agent may read, effective from its next request.'
  static override examples = [
    '<%= config.bin %> agents edit maya --policy shared',
    '<%= config.bin %> agents edit maya --policy group --group web',
    '<%= config.bin %> agents edit maya --policy isolated --no-group',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the agent.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    ...policyFlags,
    'no-group': Flags.boolean({ summary: 'Remove the agent from its group.', exclusive: ['group'] }),
  }

  async run(): Promise<Reply<'PATCH /api/agents/:name'>> {
    const { args, flags } = await this.parse(AgentsEdit)
    const { policy, group } = flags
    if (policy === undefined && group === undefined && !flags['no-group'])
      throw new CliError(`nothing to change for ${args.name}: give --policy, --group or --no-group`, {
        code: 'nothing_to_change',
        exit: 'usage',
        nextSteps: [`memory agents edit ${args.name} --policy shared`, `memory agents show ${args.name}`],
      })
    const body = { read_policy: policy, policy_group: flags['no-group'] ? null : group }
    const agent = await this.call('PATCH /api/agents/:name', { params: { name: args.name }, body })
    if (!this.jsonEnabled()) print(agentText(agent, { colors: colorsFor(), now: Date.now() }))
    return agent
  }
}
