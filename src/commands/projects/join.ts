import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { projectArgument } from '../../cli/memory/project-flags.js'
import { joinLines } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

const nextSteps = ['add --dry-run to see what would be joined', 'add --yes to join them']

export default class ProjectsJoin extends DaemonCommand {
  static override summary = 'Make two projects one; the change can be undone.'
  static override description =
    'FROM becomes part of INTO, with its memories, sessions, keys and folders. Shows what moves and asks for ' +
    'confirmation; without a terminal, --yes is required.'
  static override examples = [
    '<%= config.bin %> projects join shop-old shop',
    '<%= config.bin %> projects join /home/me/shop github.com/acme/shop --dry-run',
  ]
  static override args = {
    from: Args.string({ description: 'Project that is given up.', required: true, ignoreStdin: true }),
    into: Args.string({ description: 'Project that remains.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be joined without joining.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Reply<'POST /api/projects/join'>> {
    const { args, flags } = await this.parse(ProjectsJoin)
    const given = { from: projectArgument(args.from), into: projectArgument(args.into) }
    const join = (dryRun: boolean) => this.call('POST /api/projects/join', { body: { ...given, dryRun } })
    const json = this.jsonEnabled()
    if (flags['dry-run']) {
      const preview = await join(true)
      if (json) return preview
      print(joinLines(preview).join('\n'))
      printNote(colorsFor(process.stderr).dim('No changes made.'))
      return preview
    }
    await askAbout({ yes: flags.yes, json, nextSteps }, async () => {
      const preview = await join(true)
      return { lines: joinLines(preview), question: `Join ${preview.from.name} into ${preview.into.name}?` }
    })
    const joined = await join(false)
    if (!json)
      print(
        `${colorsFor().green('✓')} Joined ${joined.from.name} into ${joined.into.name}\nTo undo: memory projects undo ${joined.id}`,
      )
    return joined
  }
}
