import { skillTable } from '../../cli/agents/skills.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, outputWidth, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import { printStays } from '../../cli/terminal/stays.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

export default class SkillsList extends DaemonCommand {
  static override summary = 'List installed skills.'
  static override description =
    'Lists the skills on disk in the workspace. When piped, prints one skill per line with tab-separated ' +
    'fields: name, version, description.'
  static override examples = ['<%= config.bin %> skills list', '<%= config.bin %> skills list --json']
  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/skills'>> {
    const { flags } = await this.parse(SkillsList)
    const reply = await this.call('GET /api/skills')
    const page = listPage(reply.skills, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'name')) return reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (reply.count === 0) printNote('No skills yet. Next: memory skills search WORDS')
    else await printLong(skillTable(reply, { colors: colorsFor(), width }))
    const broken = reply.skills.filter(({ problems }) => problems.length > 0).length
    if (broken + reply.skipped.length > 0)
      printNote(
        `${countOf(broken + reply.skipped.length, 'folder')} with problems. For details: memory health`,
      )
    printStays(reply.stays, 'skills')
    return reply
  }
}
