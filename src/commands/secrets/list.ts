import { Flags } from '@oclif/core'
import { secretTable } from '../../cli/secrets/secret-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import { printStays } from '../../cli/terminal/stays.js'
import type { Reply } from '../../contract/api.js'

export default class SecretsList extends DaemonCommand {
  static override summary = 'List the names of secrets, never their values.'
  static override description =
    'With --details, when piped, prints one secret per line with tab-separated fields: name, store, when it ' +
    'was set, when it was last used.'
  static override examples = [
    '<%= config.bin %> secrets list',
    '<%= config.bin %> secrets list --details',
    '<%= config.bin %> secrets list --json',
  ]
  static override flags = {
    ...listFlags,
    details: Flags.boolean({
      summary: 'Also show where each secret is stored, when it was set and when it was last used.',
    }),
  }

  async run(): Promise<Reply<'GET /api/secrets'>> {
    const { flags } = await this.parse(SecretsList)
    const reply = await this.call('GET /api/secrets', { query: { details: flags.details } })
    const rows = reply.details ?? reply.secrets.map(name => ({ name }))
    const page = listPage(rows, { total: reply.secrets.length })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags, 'name')) return reply
    if (reply.secrets.length === 0) printNote('No secrets yet. Next: memory secrets set NAME')
    else if (reply.details)
      await printLong(
        secretTable(reply.details, { colors: colorsFor(), now: Date.now(), tabs: !process.stdout.isTTY }),
      )
    else print(reply.secrets.join('\n'))
    printStays(reply.stays, 'secrets')
    return reply
  }
}
