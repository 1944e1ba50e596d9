import { Args, Flags } from '@oclif/core'
import { askAbout } from '../../cli/consent/consent.js'
import { type ListedDocument, nameOfDocument } from '../../cli/knowledge/documents/document-text.js'
import { reasonFlag, reasonOf } from '../../cli/memory/flags.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { rowOf } from '../../cli/shell/listed-rows.js'
import { colorsFor, formatTable, print, printNote, shownId } from '../../cli/terminal/output.js'
import { plainLine } from '../../cli/terminal/text.js'
import { countOf } from '../../lib/text/count-of.js'

interface RemovalResult {
  removed: { id: string; memoriesRemoved: number }[]
  dryRun: boolean
}

const nextSteps = ['add --dry-run to see what would be removed', 'add --yes to remove it']

export default class DocumentsRemove extends DaemonCommand {
  static override summary = 'Remove documents and their passages.'
  static override description =
    'Shows what will be removed and asks for confirmation; without a terminal, --yes is required. ' +
    'A passage that another document also contains is kept. The original files and pages are never ' +
    'touched.'
  static override examples = [
    '<%= config.bin %> documents remove 0198c0de-0000-7000-8000-000000000001 --reason "outdated"',
    '<%= config.bin %> documents remove 0198c0de-0000-7000-8000-000000000001 --dry-run',
  ]
  static override args = {
    ids: rowOf(
      'document',
      Args.string({
        description: 'Ids of the documents.',
        required: true,
        multiple: true,
        ignoreStdin: true,
      }),
    ),
  }
  static override flags = {
    reason: reasonFlag(),
    'dry-run': Flags.boolean({ summary: 'Show what would be removed without removing it.' }),
    yes: Flags.boolean({ summary: 'Skip confirmation.', char: 'y' }),
  }

  async run(): Promise<RemovalResult> {
    const { args, flags } = await this.parse(DocumentsRemove)
    const ids = args.ids
    const json = this.jsonEnabled()
    const documents: ListedDocument[] = []
    for (const id of ids) documents.push(await this.call('GET /api/documents/:id', { params: { id } }))
    if (flags['dry-run']) {
      if (!json) print(preview(documents))
      printNote(colorsFor(process.stderr).dim('Nothing was changed.'))
      return { removed: [], dryRun: true }
    }
    await askAbout({ yes: flags.yes, json, nextSteps }, () => ({
      lines: preview(documents).split('\n'),
      question: `Remove ${countOf(documents.length, 'document')}?`,
    }))
    const reason = reasonOf(flags.reason, 'removed on the command line')
    const removed = []
    for (const { id } of documents) {
      const reply = await this.call('DELETE /api/documents/:id', { params: { id }, query: { reason } })
      removed.push({ id, memoriesRemoved: reply.memoriesRemoved })
    }
    const chunks = removed.reduce((sum, one) => sum + one.memoriesRemoved, 0)
    if (!json) print(`Removed ${countOf(removed.length, 'document')} with ${countOf(chunks, 'passage')}`)
    return { removed, dryRun: false }
  }
}

function preview(documents: readonly ListedDocument[]): string {
  const rows = documents.map(document => [
    shownId(document.id),
    document.status,
    String(document.chunk_count),
    plainLine(nameOfDocument(document)),
  ])
  return formatTable(['ID', 'STATUS', 'PASSAGES', 'DOCUMENT'], rows, colorsFor())
}
