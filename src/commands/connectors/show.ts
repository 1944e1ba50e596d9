import { Args } from '@oclif/core'
import { connectorText, type ShownConnector } from '../../cli/knowledge/connectors.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print } from '../../cli/terminal/output.js'

export default class ConnectorsShow extends DaemonCommand {
  static override summary =
    'Show a connector: its settings, its documents, and files its last sync could not read.'
  static override examples = ['<%= config.bin %> connectors show 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf(
      'connector',
      Args.string({ description: 'Id of the connector.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<ShownConnector> {
    const { args } = await this.parse(ConnectorsShow)
    const request = { params: { id: args.id }, query: { details: true } }
    const connector = await this.call('GET /api/connectors/:id', request)
    if (!this.jsonEnabled()) print(connectorText(connector, { colors: colorsFor(), now: Date.now() }))
    return connector
  }
}
