import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { readImport } from '../../cli/secrets/import.js'
import { noteShort } from '../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

type ImportReply = Reply<'POST /api/secrets/store/import'>

const nextSteps = ['add --dry-run to see which values would be replaced', 'add --yes to replace them']

export default class SecretsImport extends DaemonCommand {
  static override summary = 'Import secrets from an export or a .env file.'
  static override description =
    'Shows only the names: new, changed and unchanged ones. Existing values are kept unless you give ' +
    '--overwrite, which asks for confirmation. Reads the passphrase of an export from a prompt or a pipe. ' +
    'The file is not deleted: remove a .env file that you no longer need.'
  static override examples = [
    '<%= config.bin %> secrets import .env --dry-run',
    '<%= config.bin %> secrets import secrets-backup.json --overwrite --yes',
  ]
  static override args = {
    file: Args.string({ description: 'The file.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be stored without storing it.' }),
    overwrite: Flags.boolean({ summary: 'Replace existing values.' }),
    yes: Flags.boolean({ char: 'y', summary: 'Skip confirmation.' }),
  }

  async run(): Promise<ImportReply> {
    const { args, flags } = await this.parse(SecretsImport)
    const { overwrite } = flags
    const { body, empty } = await readImport(args.file)
    const send = (dryRun: boolean) =>
      this.call('POST /api/secrets/store/import', { body: { ...body, overwrite, dryRun } })
    const preview = await send(true)
    const json = this.jsonEnabled()
    const lines = nameLines(preview, { overwrite, empty })
    const replaces = !flags['dry-run'] && overwrite && preview.changed.length > 0
    const values = countOf(preview.changed.length, 'value')
    if (replaces)
      await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
        lines,
        question: `Replace ${values}? The old ones cannot be recovered.`,
      }))
    if (!json) print(lines.join('\n'))
    noteShort(body.entries ?? [])
    if (flags['dry-run']) return preview
    const reply = await send(false)
    if (!json) printNote(`Stored ${countOf(reply.written, 'secret')}.`)
    return reply
  }
}

/** Lists the actual or planned effect on each name, one per line. */
function nameLines(
  { added, changed, same }: ImportReply,
  { overwrite, empty }: { overwrite: boolean; empty: readonly string[] },
): string[] {
  return [
    ...added.map(name => `new      ${name}`),
    ...changed.map(name => `changed  ${name}${overwrite ? '' : ' (kept; --overwrite replaces it)'}`),
    ...same.map(name => `same     ${name}`),
    ...empty.map(name => `empty    ${name} (skipped)`),
  ]
}
