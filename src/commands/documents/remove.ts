import { Args, Flags } from '@oclif/core'
import { CliError } from '../../cli/cli-error.js'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { type ListedDocument, nameOfDocument } from '../../cli/knowledge/document-text.js'
import { reasonFlag, requireReason } from '../../cli/memory/flags.js'
import { colorsFor, formatTable, print, printNote } from '../../cli/output.js'
import { plainLine } from '../../cli/text.js'
import { countOf } from '../../lib/count-of.js'

interface Removed {
  removed: { id: string; memoriesRemoved: number }[]
  dryRun: boolean
}

export default class DocumentsRemove extends DaemonCommand {
  static override summary = 'Remove documents and the chunks that are theirs alone.'
  static override description =
    'On a terminal it shows what would go and asks. Without one it needs --yes and --reason. A chunk that another ' +
    'document holds too stays. Files and pages themselves are never touched.'
  static override examples = [
    '<%= config.bin %> documents remove 0198c0de-0000-7000-8000-000000000001 --reason "outdated"',
    '<%= config.bin %> documents remove 0198c0de-0000-7000-8000-000000000001 --dry-run',
  ]
  static override args = {
    ids: Args.string({ description: 'Ids of documents.', required: true, multiple: true, ignoreStdin: true }),
  }
  static override flags = {
    reason: reasonFlag(),
    'dry-run': Flags.boolean({ summary: 'Say what would go.' }),
    yes: Flags.boolean({ summary: 'Do not ask.', char: 'y' }),
  }

  async run(): Promise<Removed> {
    const { args, flags } = await this.parse(DocumentsRemove)
    const ids = args.ids as unknown as string[]
    const asks = !flags.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stdout.isTTY
    if (!flags['dry-run'] && !asks && !flags.yes) throw unconfirmed()
    const documents = []
    for (const id of ids) documents.push(await this.call('GET /api/documents/:id', { params: { id } }))
    if (!this.jsonEnabled() && (asks || flags['dry-run'])) print(preview(documents))
    if (flags['dry-run']) {
      printNote(colorsFor(process.stderr).dim('Nothing was changed.'))
      return { removed: [], dryRun: true }
    }
    if (asks && !(await confirmed(documents.length)))
      throw new CliError('nothing was removed', { code: 'cancelled', exit: 'cancelled' })
    const reason = asks
      ? (flags.reason?.trim() ?? 'removed on the command line')
      : requireReason(flags.reason, 'add --reason "outdated"')
    const removed = []
    for (const { id } of documents) {
      const reply = await this.call('DELETE /api/documents/:id', { params: { id }, query: { reason } })
      removed.push({ id, memoriesRemoved: reply.memoriesRemoved })
    }
    const chunks = removed.reduce((sum, one) => sum + one.memoriesRemoved, 0)
    if (!this.jsonEnabled())
      print(`Removed ${countOf(removed.length, 'document')} with ${countOf(chunks, 'chunk')}`)
    return { removed, dryRun: false }
  }
}

function unconfirmed(): CliError {
  return new CliError('nothing was removed: without a terminal to ask on, --yes is needed', {
    code: 'confirmation_required',
    exit: 'usage',
    nextSteps: ['add --dry-run to see what would go', 'add --yes --reason "..." to remove it'],
  })
}

function preview(documents: readonly ListedDocument[]): string {
  const rows = documents.map(document => [
    document.id,
    document.status,
    String(document.chunk_count),
    plainLine(nameOfDocument(document)),
  ])
  return formatTable(['ID', 'STATUS', 'CHUNKS', 'DOCUMENT'], rows, colorsFor())
}

/** Ink loads here, and only here. */
async function confirmed(count: number): Promise<boolean> {
  const { confirmChange } = await import('../../cli/tui/confirm-change.js')
  const question = `Remove ${countOf(count, 'document')}?`
  return confirmChange({ question, color: colorsFor().isColorSupported })
}
