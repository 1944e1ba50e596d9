import { resolve } from 'node:path'
import { Args } from '@oclif/core'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { nameAndKey } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ProjectsMove extends DaemonCommand {
  static override summary = 'Say that a folder of a project was moved or renamed.'
  static override description =
    'Git repositories are recognised after a move; folders without one are not. Folders below OLD move too. ' +
    'To take it back, move it the other way.'
  static override examples = ['<%= config.bin %> projects move ~/notes ~/documents/notes']
  static override args = {
    old: Args.string({ description: 'Former folder.', required: true, ignoreStdin: true }),
    new: Args.string({ description: 'Folder now.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'PATCH /api/projects'>> {
    const { args } = await this.parse(ProjectsMove)
    const [from, to] = [args.old, args.new].map(given => resolve(projectArgument(given))) as [string, string]
    const reply = await this.call('PATCH /api/projects', { body: { move: { from, to } } })
    if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} ${nameAndKey(reply.project)} is now in ${to}`)
    return reply
  }
}
