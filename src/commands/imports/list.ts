import { Flags } from '@oclif/core'
import { importTable } from '../../cli/knowledge/imports.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../../cli/shell/list-output.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import type { Reply } from '../../contract/api.js'
import { countOf, rangeOf } from '../../lib/text/count-of.js'

export default class ImportsList extends DaemonCommand {
  static override summary = 'List imports of past conversations, newest first.'
  static override description =
    'When piped, prints one import per line with tab-separated fields: id, created_at, state, imported, ' +
    'duplicate, rejected, pending, name.'
  static override examples = ['<%= config.bin %> imports list', '<%= config.bin %> imports list --agent maya']
  static override flags = {
    ...listFlags,
    limit: Flags.integer({ summary: 'Maximum number of imports.', char: 'n', default: 50, min: 1, max: 500 }),
    offset: Flags.integer({ summary: 'Number of imports to skip.', default: 0, min: 0, max: 10_000_000 }),
  }

  async run(): Promise<Reply<'GET /api/sources/imports'>> {
    const { flags } = await this.parse(ImportsList)
    const { limit, offset } = flags
    const reply = await this.call('GET /api/sources/imports', { query: { limit, offset } })
    const page = listPage(reply.jobs, { total: reply.total, offset })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    const { jobs, total } = reply
    this.keepRows(
      'import',
      jobs.map(({ id }) => id),
    )
    const tabs = process.stdout.isTTY !== true
    if (jobs.length > 0) print(importTable(jobs, { colors: colorsFor(), now: Date.now(), tabs }))
    const next = offset + jobs.length < total ? `, next: --offset ${offset + jobs.length}` : ''
    const footer =
      total === 0
        ? 'No imports. Next: memory import transcripts FILE --from service-export'
        : `${rangeOf({ offset, shown: jobs.length, total }, countOf(total, 'import'))}${next}`
    printNote(colorsFor(process.stderr).dim(footer))
    return reply
  }
}
