import { Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { adoptionLines } from '../../cli/operations/projects.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type Adoption = Reply<'POST /api/projects/adopt'>

const nextSteps = ['add --dry-run to see what would be joined', 'add --yes to join them']

export default class ProjectsAdopt extends DaemonCommand {
  static override summary = 'Join projects saved under a name or path to their repositories.'
  static override description =
    'Joins only where one repository can be meant, and names the others. Shows what it will do and asks for ' +
    'confirmation; without a terminal, --yes is required. Each join can be undone.'
  static override examples = [
    '<%= config.bin %> projects adopt --dry-run',
    '<%= config.bin %> projects adopt --yes',
  ]
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be joined without joining.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Adoption> {
    const { flags } = await this.parse(ProjectsAdopt)
    const json = this.jsonEnabled()
    const preview = await this.adopt(true)
    if (flags['dry-run'] || preview.joins.length === 0) return this.show(preview)
    await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
      lines: adoptionLines(preview),
      question: `Join ${countOf(preview.joins.length, 'project')}?`,
    }))
    const adopted = await this.adopt(false)
    if (!json)
      print(
        [
          `${colorsFor().green('✓')} Joined ${countOf(adopted.joins.length, 'project')}`,
          ...adopted.joins.map(({ id, from }) => `To undo ${from.name}: memory projects undo ${id}`),
          ...adoptionLines({ ...adopted, joins: [] }),
        ].join('\n'),
      )
    return adopted
  }

  private adopt(dryRun: boolean): Promise<Adoption> {
    return this.call('POST /api/projects/adopt', { body: { dryRun } })
  }

  private show(preview: Adoption): Adoption {
    if (this.jsonEnabled()) return preview
    const lines = adoptionLines(preview)
    if (lines.length > 0) print(lines.join('\n'))
    const none = preview.joins.length === 0 ? 'No projects to join. ' : ''
    printNote(colorsFor(process.stderr).dim(`${none}No changes made.`))
    return preview
  }
}
