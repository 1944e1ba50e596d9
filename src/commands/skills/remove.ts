import { Args, Flags } from '@oclif/core'
import { skillFields } from '../../cli/agents/skills.js'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type Skill = Reply<'GET /api/skills/:name'>

const nextSteps = ['add --dry-run to see what would be removed', 'add --yes to remove it']

export default class SkillsRemove extends DaemonCommand {
  static override summary = 'Remove an installed skill and its files.'
  static override description =
    'Shows the files to delete and asks for confirmation; without a terminal, --yes is required. To get the ' +
    'skill back, install it again.'
  static override examples = [
    '<%= config.bin %> skills remove pdf',
    '<%= config.bin %> skills remove pdf --dry-run',
    '<%= config.bin %> skills remove pdf --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the skill.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be removed without removing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Skill | Reply<'DELETE /api/skills/:name'>> {
    const { args, flags } = await this.parse(SkillsRemove)
    const request = { params: { name: args.name } }
    const json = this.jsonEnabled()
    if (flags['dry-run']) return this.show(await this.call('GET /api/skills/:name', request))
    await askAbout({ yes: flags.yes, json, nextSteps }, async () =>
      removalOf(await this.call('GET /api/skills/:name', request)),
    )
    const removed = await this.call('DELETE /api/skills/:name', request)
    if (!json) print(`${colorsFor().green('✓')} ${removed.message}`)
    return removed
  }

  private show(skill: Skill): Skill {
    if (this.jsonEnabled()) return skill
    print(skillFields(skill, colorsFor()))
    printNote(colorsFor(process.stderr).dim('No changes made.'))
    return skill
  }
}

/** Returns the files to delete, and the question. */
function removalOf({ name, path, files, fileCount }: Skill): Preview {
  const more = fileCount - files.length
  return {
    lines: [path, ...files.map(file => `  ${plainLine(file)}`), ...(more > 0 ? [`  ${more} more`] : [])],
    question: `Remove the skill ${name} with ${countOf(fileCount, 'file')}?`,
  }
}
