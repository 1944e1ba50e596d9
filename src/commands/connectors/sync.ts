import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { resultText, type ShownConnector } from '../../cli/knowledge/connectors.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { askUntil } from '../../cli/terminal/ask-until.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress-bar.js'
import { plainLine } from '../../cli/terminal/text.js'
import { call } from '../../client/call.js'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'

/** For whoever can't be asked. */
const nextSteps = [
  'add --yes to read every file again',
  'leave --full out: what is new or changed is read anyway',
]

export default class ConnectorsSync extends DaemonCommand {
  static override summary = 'Take in what is new or changed in a folder, and let go what is gone.'
  static override description =
    'The work is done in the background. With --wait the command goes on until every document is read, and the exit code ' +
    'is 1 when the sync was broken off. --full reads every file again, which can take long: on a terminal it asks.'
  static override examples = [
    '<%= config.bin %> connectors sync 0198c0de-0000-7000-8000-000000000001 --wait',
    '<%= config.bin %> connectors sync 0198c0de-0000-7000-8000-000000000001 --full --yes',
  ]
  static override args = {
    id: Args.string({ description: 'Id of the connector.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    full: Flags.boolean({ summary: 'Read every file again, whether it changed or not.' }),
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
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
    if (connector.status === 'error') printNote(`Broken off: ${plainLine(connector.last_error ?? '')}`)
    else if (connector.details?.lastResult) print(resultText(connector.details.lastResult, colorsFor()))
    const failed = connector.details?.documents.failed ?? 0
    if (failed > 0) printNote(`${failed} could not be read: memory documents list --status failed`)
    return connector
  }
}

/** Waits until a connector is synchronised and its documents are read, and tells how far it is. */
async function followSync(look: () => Promise<ShownConnector>): Promise<ShownConnector> {
  const bar = startProgressBar()
  try {
    return await askUntil(look, ({ status, details }) => {
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
  return `${countOf(listed, 'file')} looked at, ${taken} taken${removed > 0 ? `, ${removed} removed` : ''}`
}
