import { Args } from '@oclif/core'
import { nameAndKey } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ProjectsUndo extends DaemonCommand {
  static override summary = 'Undo a join or split of projects.'
  static override description = 'memory projects show lists the changes of a project with their ids.'
  static override examples = ['<%= config.bin %> projects undo 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: Args.string({ description: 'Id of the change.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'POST /api/projects/undo'>> {
    const { args } = await this.parse(ProjectsUndo)
    const reply = await this.call('POST /api/projects/undo', { body: { id: args.id } })
    if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} Restored ${nameAndKey(reply.project)}`)
    return reply
  }
}
