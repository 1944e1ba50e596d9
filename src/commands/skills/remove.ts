import { Args, Flags } from '@oclif/core'
import { skillFields } from '../../cli/agents/skill-text.js'
import { CliError } from '../../cli/cli-error.js'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { colorsFor, print, printNote } from '../../cli/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/count-of.js'

export default class SkillsRemove extends DaemonCommand {
  static override summary = 'Remove an installed skill with its files.'
  static override description =
    'On a terminal it shows the files that go and asks. Without one it needs --yes. Nothing brings them back but installing again.'
  static override examples = [
    '<%= config.bin %> skills remove pdf',
    '<%= config.bin %> skills remove pdf --dry-run',
    '<%= config.bin %> skills remove pdf --yes',
  ]
  static override args = {
    name: Args.string({ description: 'Name of the skill.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would go and stop.' }),
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y', exclusive: ['dry-run'] }),
  }

  async run(): Promise<Reply<'GET /api/skills/:name'> | Reply<'DELETE /api/skills/:name'>> {
    const { args, flags } = await this.parse(SkillsRemove)
    const request = { params: { name: args.name } }
    const asks = !flags.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stdout.isTTY
    if (!flags.yes && !flags['dry-run'] && !asks) throw confirmationRequired()
    if (!flags.yes) {
      const skill = await this.call('GET /api/skills/:name', request)
      if (this.jsonEnabled()) return skill
      print(skillFields(skill, colorsFor()))
      if (flags['dry-run']) {
        printNote(colorsFor(process.stderr).dim('Nothing was removed.'))
        return skill
      }
      await confirm(skill)
    }
    const removed = await this.call('DELETE /api/skills/:name', request)
    if (!this.jsonEnabled()) print(`${colorsFor().green('✓')} ${removed.message}`)
    return removed
  }
}

function confirmationRequired(): CliError {
  return new CliError('nothing was removed: without a terminal to ask on, --yes is needed', {
    code: 'confirmation_required',
    exit: 'usage',
    nextSteps: ['add --dry-run to see what would go', 'add --yes to remove it'],
  })
}

/** Ink loads here, and only here. @throws CliError `cancelled` when the person says no. */
async function confirm({ name, fileCount }: Reply<'GET /api/skills/:name'>): Promise<void> {
  const { confirmChange } = await import('../../cli/tui/confirm-change.js')
  const question = `Remove ${name} with ${countOf(fileCount, 'file')}?`
  if (await confirmChange({ question, color: colorsFor().isColorSupported })) return
  throw new CliError('nothing was removed', { code: 'cancelled', exit: 'cancelled' })
}
