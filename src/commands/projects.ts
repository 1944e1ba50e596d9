import { projectTable } from '../cli/operations/projects.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../cli/shell/list-output.js'
import { colorsFor, printNote } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { Reply } from '../contract/api.js'

export default class Projects extends DaemonCommand {
  static override summary = 'List projects, last used first.'
  static override description =
    'A project is a git repository (named by its remote, else by its first commit), a folder, or a name. ' +
    'Worktrees and clones are one project. When piped, prints one project per line with tab-separated ' +
    'fields: name, key, folders (separated by commas), memories, sessions, time of last use.'
  static override examples = [
    '<%= config.bin %> projects',
    '<%= config.bin %> projects --json',
    '<%= config.bin %> projects show shop',
  ]
  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/projects'>> {
    const { flags } = await this.parse(Projects)
    const reply = await this.call('GET /api/projects')
    const page = listPage(reply.projects, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'key')) return reply
    const tabs = !process.stdout.isTTY
    if (reply.count === 0)
      printNote('No projects yet. Next: memory remember "..." in the folder of a project')
    else await printLong(projectTable(reply.projects, { colors: colorsFor(), now: Date.now(), tabs }))
    return reply
  }
}
