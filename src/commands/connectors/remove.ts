import { Args, Flags } from '@oclif/core'
import { askAbout, type Preview } from '../../cli/consent/consent.js'
import { removalLines } from '../../cli/knowledge/connectors.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { print } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

/** Many documents take long; the daemon serves other requests in between. */
const timeoutMs = 3_600_000

export default class ConnectorsRemove extends DaemonCommand {
  static override summary = 'Remove a connector and keep its documents, or remove them with --cascade.'
  static override description =
    'Shows what will be removed and asks for confirmation; without a terminal, --yes is required. Files in ' +
    'the folder are never touched. If a removal is interrupted, run it again.'
  static override examples = [
    '<%= config.bin %> connectors remove 0198c0de-0000-7000-8000-000000000001',
    '<%= config.bin %> connectors remove 0198c0de-0000-7000-8000-000000000001 --cascade --yes',
  ]
  static override args = {
    id: rowOf(
      'connector',
      Args.string({ description: 'Id of the connector.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    cascade: Flags.boolean({ summary: "Also remove the connector's documents." }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<Reply<'DELETE /api/connectors/:id'>> {
    const { args, flags } = await this.parse(ConnectorsRemove)
    const params = { id: args.id }
    const json = this.jsonEnabled()
    const nextSteps = [`memory connectors show ${args.id}   shows its documents`, 'add --yes to remove it']
    await askAbout({ yes: flags.yes, json, nextSteps }, () => this.preview(args.id, flags.cascade))
    const query = { cascade: flags.cascade }
    const removed = await this.call('DELETE /api/connectors/:id', { params, query }, { timeoutMs })
    const { documentsRemoved = 0, memoriesRemoved = 0 } = removed
    const taken = `${countOf(documentsRemoved, 'document')} with ${countOf(memoriesRemoved, 'passage')}`
    if (!json)
      print(
        flags.cascade
          ? `Removed the connector and ${taken}`
          : 'Removed the connector; its documents are kept',
      )
    return removed
  }

  private async preview(id: string, cascade: boolean): Promise<Preview> {
    const connector = await this.call('GET /api/connectors/:id', { params: { id }, query: { details: true } })
    const question = cascade ? 'Remove the connector and its documents?' : 'Remove the connector?'
    return { lines: removalLines(connector, cascade), question }
  }
}
