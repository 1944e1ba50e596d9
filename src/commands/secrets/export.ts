import { existsSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { readHidden, refuseValues } from '../../cli/secrets/read-hidden.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { cannotWrite } from '../../cli/shell/write-whole-file.js'
import { print } from '../../cli/terminal/output.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import { countOf } from '../../lib/text/count-of.js'

export default class SecretsExport extends DaemonCommand {
  static override summary = 'Export all secrets to a file encrypted with a passphrase.'
  static override description =
    'Reads the passphrase from a prompt or a pipe. Only you can read the file. To restore it: memory secrets ' +
    'import.'
  static override examples = ['<%= config.bin %> secrets export --out secrets-backup.json']
  static override flags = {
    out: Flags.string({ summary: 'The file to write.', required: true, helpValue: 'FILE' }),
    force: Flags.boolean({ summary: 'Replace the file if it exists.' }),
  }
  static override strict = false

  async run(): Promise<{ file: string; secrets: number }> {
    const { argv, flags } = await this.parse(SecretsExport)
    const { out, force } = flags
    refuseValues(argv, 'passphrase', 'memory secrets export --out FILE < PASSPHRASE_FILE')
    if (!force && existsSync(out))
      throw new CliError(`${out} already exists`, {
        code: 'file_exists',
        exit: 'refused',
        nextSteps: ['choose another file', 'add --force to replace it'],
      })
    const passphrase = await readHidden({ label: 'Passphrase of the export', repeat: true })
    const file = await this.call('POST /api/secrets/store/export', { body: { passphrase } })
    write(out, `${JSON.stringify(file, null, 2)}\n`)
    const secrets = Object.keys(file.entries).length
    if (!this.jsonEnabled()) print(`Exported ${countOf(secrets, 'secret')} to ${out}`)
    return { file: out, secrets }
  }
}

/** @throws CliError `invalid_input` if the file cannot be written. */
function write(file: string, text: string): void {
  try {
    replaceFile(file, text, 0o600)
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
}
