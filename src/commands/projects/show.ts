import { Args } from '@oclif/core'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { projectText } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ProjectsShow extends DaemonCommand {
  static override summary = 'Show a project: its keys, folders, counts and changes.'
  static override examples = ['<%= config.bin %> projects show shop', '<%= config.bin %> projects show .']
  static override args = {
    name: Args.string({ description: 'Name, key, folder or remote.', required: true, ignoreStdin: true }),
  }

  async run(): Promise<Reply<'GET /api/projects'>> {
    const { args } = await this.parse(ProjectsShow)
    const query = { project: projectArgument(args.name), history: true }
    const reply = await this.call('GET /api/projects', { query })
    const view = { colors: colorsFor(), now: Date.now() }
    if (!this.jsonEnabled())
      print(reply.projects.map(project => projectText(project, reply.history ?? [], view)).join('\n\n'))
    return reply
  }
}
