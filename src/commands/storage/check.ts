import { Flags } from '@oclif/core'
import { checksText } from '../../cli/operations/storage/storage-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class StorageCheck extends DaemonCommand {
  static override summary = 'Check whether memories can be stored on a PostgreSQL server.'
  static override description =
    'Checks version, collation, rights, round trip, connections and encryption, and changes nothing. Without ' +
    '--to it checks the present store. Exits with 6 if something must be changed first.'
  static override examples = [
    '<%= config.bin %> storage check',
    '<%= config.bin %> storage check --to MEMORY_DATABASE --schema team_a',
  ]
  static override flags = {
    to: Flags.string({
      summary: 'URL of the server, or the secret that is one.',
      helpValue: 'postgres://...',
    }),
    schema: Flags.string({ summary: 'Schema of this workspace.', helpValue: 'NAME', dependsOn: ['to'] }),
  }

  async run(): Promise<Reply<'POST /api/storage/check'>> {
    const { flags } = await this.parse(StorageCheck)
    const checked = await this.call('POST /api/storage/check', { body: flagsOf(flags) })
    if (!this.jsonEnabled()) {
      const colors = colorsFor()
      print(`${checked.place}\n\n${checksText(checked.checks, colors)}`)
    }
    if (!checked.usable) process.exitCode = exitCodes.findings.code
    return checked
  }
}

function flagsOf({ to, schema }: { to?: string | undefined; schema?: string | undefined }) {
  return { ...(to !== undefined && { to }), ...(schema !== undefined && { schema }) }
}
