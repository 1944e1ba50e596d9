import { Flags } from '@oclif/core'
import { foundTable } from '../../cli/agents/skills.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { queryArgument, queryOf } from '../../cli/shell/query-argument.js'
import { colorsFor, outputWidth, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class SkillsSearch extends DaemonCommand {
  static override summary = 'Search the public registry of skills.'
  static override description =
    'Searches https://skills.sh, or SKILLS_API_URL in the environment of the daemon. When piped, prints one ' +
    'skill per line with tab-separated fields: name, source, installed, description.'
  static override examples = [
    '<%= config.bin %> skills search pdf forms',
    '<%= config.bin %> skills search review --limit 5 --json',
  ]
  static override args = queryArgument
  static override flags = {
    limit: Flags.integer({ summary: 'Maximum number of skills.', char: 'n', default: 20, min: 1, max: 100 }),
  }

  async run(): Promise<Reply<'GET /api/skills/search'>> {
    const { args, flags } = await this.parse(SkillsSearch)
    const q = queryOf(args)
    const reply = await this.call(
      'GET /api/skills/search',
      { query: { q, limit: flags.limit } },
      { waitingFor: 'searching the registry' },
    )
    if (reply.error !== undefined)
      throw new CliError(reply.error, {
        code: 'registry_unavailable',
        exit: 'failure',
        nextSteps: [
          'try again later',
          'memory skills install NAME --source OWNER/REPOSITORY   works without the registry',
        ],
      })
    if (this.jsonEnabled()) return reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (reply.results.length === 0) printNote('No matching skills in the registry.')
    else print(foundTable(reply, { colors: colorsFor(), width }))
    return reply
  }
}
