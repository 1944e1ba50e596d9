import { Args } from '@oclif/core'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { nameAndKey } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ProjectsRename extends DaemonCommand {
  static override summary = 'Give a project another short name; its key stays.'
  static override examples = ['<%= config.bin %> projects rename github.com/acme/shop acme-shop']
  static override args = {
    project: Args.string({ description: 'Name, key, folder or remote.', required: true, ignoreStdin: true }),
    name: Args.string({ description: 'New name.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'PATCH /api/projects'>> {
    const { args } = await this.parse(ProjectsRename)
    const body = { project: projectArgument(args.project), name: args.name }
    const reply = await this.call('PATCH /api/projects', { body })
    if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} Renamed to ${nameAndKey(reply.project)}`)
    return reply
  }
}
