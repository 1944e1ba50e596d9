import { Flags } from '@oclif/core'
import { usageText } from '../../cli/agents/skills.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SkillsStats extends DaemonCommand {
  static override summary = 'Show how often an agent used each skill.'
  static override description =
    'Shows the agent given with --agent, or the default agent. Uses are kept for 90 days. When piped, prints ' +
    'one skill per line with tab-separated fields: name, uses, successes, average milliseconds.'
  static override examples = [
    '<%= config.bin %> skills stats',
    '<%= config.bin %> skills stats --since 30d --agent maya --json',
  ]
  static override flags = {
    since: momentFlag({ summary: 'Only uses from this time on.' }),
    limit: Flags.integer({ summary: 'Maximum number of skills.', char: 'n', default: 10, min: 1, max: 100 }),
  }

  async run(): Promise<Reply<'GET /api/skills/analytics'>> {
    const { since, limit } = (await this.parse(SkillsStats)).flags
    const query = { since: momentOf('--since', since), limit }
    const reply = await this.call('GET /api/skills/analytics', { query })
    if (this.jsonEnabled()) return reply
    if (reply.totalCalls === 0) printNote('No recorded uses of skills.')
    else print(usageText(reply, { colors: colorsFor(), tabs: !process.stdout.isTTY }))
    return reply
  }
}
