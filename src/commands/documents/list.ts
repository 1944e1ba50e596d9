import { Flags } from '@oclif/core'
import { documentTable } from '../../cli/knowledge/documents/document-text.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems, sortFlag } from '../../cli/shell/list-output.js'
import { colorsFor, printNote } from '../../cli/terminal/output.js'
import { printLong } from '../../cli/terminal/pager.js'
import type { Reply } from '../../contract/api.js'
import { countOf, rangeOf } from '../../lib/text/count-of.js'

const statuses = [
  'queued',
  'extracting',
  'chunking',
  'embedding',
  'indexing',
  'done',
  'failed',
  'deleted',
] as const

export default class DocumentsList extends DaemonCommand {
  static override summary = 'List documents, newest first.'
  static override description =
    'When piped, prints one document per line with tab-separated fields: id, created_at, status, chunks, ' +
    'name, error. Deleted documents are listed only with --status deleted.'
  static override examples = [
    '<%= config.bin %> documents list',
    '<%= config.bin %> documents list --status failed',
  ]
  static override flags = {
    ...listFlags,
    sort: sortFlag('newest', 'Order of the documents.'),
    status: Flags.option({ summary: 'Only documents with this status.', options: statuses })(),
    limit: Flags.integer({
      summary: 'Maximum number of documents.',
      char: 'n',
      default: 50,
      min: 1,
      max: 500,
    }),
    offset: Flags.integer({ summary: 'Number of documents to skip.', default: 0, min: 0, max: 10_000_000 }),
  }

  async run(): Promise<Reply<'GET /api/documents'>> {
    const { flags } = await this.parse(DocumentsList)
    const { status, limit, offset, sort } = flags
    const reply = await this.call('GET /api/documents', { query: { status, limit, offset, sort } })
    const page = listPage(reply.documents, { total: reply.total, offset })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    const { documents, total } = reply
    this.keepRows(
      'document',
      documents.map(({ id }) => id),
    )
    if (documents.length > 0)
      await printLong(
        documentTable(documents, {
          colors: colorsFor(),
          now: Date.now(),
          tabs: process.stdout.isTTY !== true,
        }),
      )
    const next = offset + documents.length < total ? `, next: --offset ${offset + documents.length}` : ''
    const footer =
      total === 0
        ? 'No documents. Next: memory documents add PATH'
        : `${rangeOf({ offset, shown: documents.length, total }, countOf(total, 'document'))}${next}`
    printNote(colorsFor(process.stderr).dim(footer))
    return reply
  }
}
