import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { nameAndKey, type ShownProject } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

const nextSteps = ['add --dry-run to see what would be removed', 'add --yes to remove it']

export default class ProjectsForget extends DaemonCommand {
  static override summary = 'Remove a project without memories from the list.'
  static override description =
    'A project with memories is refused: forget these first. Work in its folder puts it on the list again.'
  static override examples = [
    '<%= config.bin %> projects forget scratch',
    '<%= config.bin %> projects forget scratch --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Name, key, folder or remote.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be removed without removing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Reply<'DELETE /api/projects'>> {
    const { args, flags } = await this.parse(ProjectsForget)
    const project = projectArgument(args.name)
    const forget = (dryRun: boolean) => this.call('DELETE /api/projects', { body: { project, dryRun } })
    const json = this.jsonEnabled()
    if (flags['dry-run']) {
      const preview = await forget(true)
      if (json) return preview
      print(linesOf(preview.project).join('\n'))
      printNote(colorsFor(process.stderr).dim('No changes made.'))
      return preview
    }
    await askAbout({ yes: flags.yes, json, nextSteps }, async () => {
      const preview = (await forget(true)).project
      return { lines: linesOf(preview), question: `Remove the project ${preview.name} from the list?` }
    })
    const reply = await forget(false)
    if (!json) print(`${colorsFor().green('✓')} Removed ${nameAndKey(reply.project)}`)
    return reply
  }
}

function linesOf(project: ShownProject): string[] {
  const { memories, sessions, places } = project
  return [
    nameAndKey(project),
    `  ${countOf(memories, 'memory', 'memories')}, ${countOf(sessions, 'session')}`,
    ...places.map(({ path }) => `  folder ${path}`),
  ]
}
