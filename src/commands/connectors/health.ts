import { Args } from '@oclif/core'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, formatFields, print } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import type { Reply } from '../../contract/api.js'

export default class ConnectorsHealth extends DaemonCommand {
  static override summary = 'Show the status of a connector, its last sync and its number of documents.'
  static override description = 'The exit code is 1 if the last sync failed.'
  static override examples = ['<%= config.bin %> connectors health 0198c0de-0000-7000-8000-000000000001']
  static override args = {
    id: rowOf(
      'connector',
      Args.string({ description: 'Id of the connector.', required: true, ignoreStdin: true }),
    ),
  }

  async run(): Promise<Reply<'GET /api/connectors/:id/health'>> {
    const { args } = await this.parse(ConnectorsHealth)
    const health = await this.call('GET /api/connectors/:id/health', { params: { id: args.id } })
    const { status, lastSyncAt, lastError, documentCount } = health
    if (status === 'error') process.exitCode = exitCodes.failure.code
    if (this.jsonEnabled()) return health
    const fields: [string, string][] = [
      ['status', status],
      ['last sync', lastSyncAt ?? 'never'],
      ['documents', String(documentCount)],
    ]
    if (lastError !== null) fields.push(['error', plainLine(lastError)])
    print(formatFields(fields, colorsFor()))
    return health
  }
}
