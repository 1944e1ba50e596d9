import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { resultText, type ShownConnector } from '../../cli/knowledge/connectors.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { pollUntil } from '../../cli/terminal/poll-until.js'
import { startProgressBar } from '../../cli/terminal/progress.js'
import { plainLine } from '../../cli/terminal/text.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

const nextSteps = ['add --yes to read every file again', 'omit --full to read only new and changed files']

export default class ConnectorsSync extends DaemonCommand {
  static override summary = 'Read new and changed files of a folder, and remove documents of deleted files.'
  static override description =
    'Runs in the background. With --wait, the command waits until every document is read; the exit code is 1 ' +
    'if the sync fails. --full reads every file again, which can take long, and asks for confirmation on a ' +
    'terminal.'
  static override examples = [
    '<%= config.bin %> connectors sync 0198c0de-0000-7000-8000-000000000001 --wait',
    '<%= config.bin %> connectors sync 0198c0de-0000-7000-8000-000000000001 --full --yes',
  ]
  static override args = {
    id: rowOf(
      'connector',
      Args.string({ description: 'Id of the connector.', required: true, ignoreStdin: true }),
    ),
  }
  static override flags = {
    full: Flags.boolean({ summary: 'Read every file again, even if unchanged.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
    wait: Flags.boolean({ summary: 'Wait until everything is read.' }),
  }

  async run(): Promise<Reply<'POST /api/connectors/:id/sync'> | ShownConnector> {
    const { args, flags } = await this.parse(ConnectorsSync)
    const params = { id: args.id }
    if (flags.full)
      await askAbout({ yes: flags.yes, json: this.jsonEnabled(), nextSteps }, async () => {
        await this.call('GET /api/connectors/:id', { params })
        return { lines: [], question: 'Read every file again?' }
      })
    const reply = flags.full
      ? await this.call('POST /api/connectors/:id/sync/full', { params, query: { confirm: 'true' } })
      : await this.call('POST /api/connectors/:id/sync', { params })
    if (!flags.wait) {
      if (!this.jsonEnabled()) printNote(reply.message ?? `Next: memory connectors show ${args.id}`)
      return reply
    }
    const request = { params, query: { details: true } }
    const connector = await followSync(() => call('GET /api/connectors/:id', request, this.globals))
    if (connector.status === 'error') process.exitCode = exitCodes.failure.code
    if (this.jsonEnabled()) return connector
    if (connector.status === 'error') printNote(`The sync failed: ${plainLine(connector.last_error ?? '')}`)
    else if (connector.details?.lastResult) print(resultText(connector.details.lastResult, colorsFor()))
    const failed = connector.details?.documents.failed ?? 0
    if (failed > 0)
      printNote(`${failed} could not be read. To list them: memory documents list --status failed`)
    return connector
  }
}

/** Waits until a connector is synchronised and its documents are read, and shows the progress. */
async function followSync(look: () => Promise<ShownConnector>): Promise<ShownConnector> {
  const bar = startProgressBar()
  try {
    return await pollUntil(look, ({ status, details }) => {
      const reading = status === 'error' ? 0 : (details?.documents.reading ?? 0)
      if (status !== 'syncing' && reading === 0) return true
      const total = details?.documents.total ?? 0
      if (status === 'syncing') bar.update(listingText(details?.progress))
      else bar.update(`${total - reading} of ${countOf(total, 'document')} read`, (total - reading) / total)
      return false
    })
  } finally {
    bar.stop()
  }
}

function listingText(progress: NonNullable<ShownConnector['details']>['progress'] | undefined): string {
  const { listed = 0, taken = 0, removed = 0 } = progress ?? {}
  return `${countOf(listed, 'file')} checked, ${taken} added or updated${removed > 0 ? `, ${removed} removed` : ''}`
}
