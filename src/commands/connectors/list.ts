import { connectorTable } from '../../cli/knowledge/connectors.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'

export default class ConnectorsList extends DaemonCommand {
  static override summary = 'List connectors, newest first.'
  static override description =
    'When piped, prints one connector per line with tab-separated fields: id, status, time of the last sync, ' +
    'name, folder, error.'
  static override examples = ['<%= config.bin %> connectors list', '<%= config.bin %> connectors list --json']

  static override flags = listFlags

  async run(): Promise<Reply<'GET /api/connectors'>> {
    const { flags } = await this.parse(ConnectorsList)
    const reply = await this.call('GET /api/connectors')
    const page = listPage(reply.connectors, { total: reply.count })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    this.keepRows(
      'connector',
      reply.connectors.map(({ id }) => id),
    )
    const view = { colors: colorsFor(), now: Date.now(), tabs: process.stdout.isTTY !== true }
    if (reply.count > 0) print(connectorTable(reply.connectors, view))
    else printNote('No connectors. Next: memory connectors add PATH')
    return reply
  }
}
