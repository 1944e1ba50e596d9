import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { readImport } from '../../cli/secrets/import.js'
import { noteShort } from '../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type Imported = Reply<'POST /api/secrets/store/import'>

/** For whoever can't be asked. */
const nextSteps = ['add --dry-run to see which values would be replaced', 'add --yes to replace them']

export default class SecretsImport extends DaemonCommand {
  static override summary = 'Store what an export or a .env file holds.'
  static override description =
    'Shows names alone: new ones, those with another value here, and those that are the same. Values that are here stay ' +
    'unless --overwrite is given, which asks first. The passphrase of an export comes from a prompt or a pipe. The file ' +
    'stays where it is: remove a .env that is no longer needed.'
  static override examples = [
    '<%= config.bin %> secrets import .env --dry-run',
    '<%= config.bin %> secrets import secrets-backup.json --overwrite --yes',
  ]
  static override args = {
    file: Args.string({ description: 'The file.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Only show what would be stored.' }),
    overwrite: Flags.boolean({ summary: 'Replace values that are here.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Do not ask.' }),
  }

  async run(): Promise<Imported> {
    const { args, flags } = await this.parse(SecretsImport)
    const { overwrite } = flags
    const { body, empty } = await readImport(args.file)
    const send = (dryRun: boolean) =>
      this.call('POST /api/secrets/store/import', { body: { ...body, overwrite, dryRun } })
    const preview = await send(true)
    const json = this.jsonEnabled()
    const lines = linesOf(preview, { overwrite, empty })
    const replaces = !flags['dry-run'] && overwrite && preview.changed.length > 0
    const values = countOf(preview.changed.length, 'value')
    if (replaces)
      await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
        lines,
        question: `Replace ${values}? Nothing brings the old ones back.`,
      }))
    if (!json) print(lines.join('\n'))
    noteShort(body.entries ?? [])
    if (flags['dry-run']) return preview
    const reply = await send(false)
    if (!json) printNote(`Stored ${countOf(reply.written, 'secret')}.`)
    return reply
  }
}

/** One line a name: what is, or would be, done with it. */
function linesOf(
  { added, changed, same }: Imported,
  { overwrite, empty }: { overwrite: boolean; empty: readonly string[] },
): string[] {
  return [
    ...added.map(name => `new      ${name}`),
    ...changed.map(name => `changed  ${name}${overwrite ? '' : ' (stays; --overwrite replaces it)'}`),
    ...same.map(name => `same     ${name}`),
    ...empty.map(name => `empty    ${name} (left out)`),
  ]
}
