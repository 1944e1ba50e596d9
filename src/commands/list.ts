import { Flags } from '@oclif/core'
import { filterFlags, momentOf } from '../cli/memory/flags.js'
import { memoryTable } from '../cli/memory/list.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { colorsFor, outputWidth, print, printNote } from '../cli/terminal/output.js'
import type { Reply } from '../contract/api.js'
import { countOf } from '../lib/text/count-of.js'

export default class List extends DaemonCommand {
  static override summary = 'List memories, newest first.'
  static override description =
    'A table on a terminal (* marks a pinned memory). In a pipe: one line a memory with tab-separated fields: ' +
    'id, created_at, type, pinned, tags, content.'
  static override examples = [
    '<%= config.bin %> list --limit 20',
    '<%= config.bin %> list --since yesterday',
    '<%= config.bin %> list --limit 1000 | cut -f1',
    '<%= config.bin %> list --forgotten',
  ]
  static override flags = {
    limit: Flags.integer({ summary: 'At most this many.', char: 'n', default: 20, min: 1, max: 1000 }),
    offset: Flags.integer({ summary: 'Skip this many.', default: 0, min: 0, max: 10_000_000 }),
    since: filterFlags.since,
    until: filterFlags.until,
    forgotten: Flags.boolean({
      summary: 'Those that were forgotten instead; memory recover brings them back within 30 days.',
    }),
  }

  async run() {
    const { limit, offset, forgotten, ...flags } = (await this.parse(List)).flags
    const since = momentOf('--since', flags.since)
    const until = momentOf('--until', flags.until)
    const query = { limit, offset, since, until, deleted: forgotten || undefined }
    const reply = await this.call('GET /api/memories', { query })
    if (this.jsonEnabled()) return reply
    const { memories } = reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (memories.length > 0) print(memoryTable(memories, { colors: colorsFor(), width, now: Date.now() }))
    const isNarrowed = since !== undefined || until !== undefined
    printNote(colorsFor(process.stderr).dim(footer(reply, offset, { forgotten, isNarrowed })))
    return reply
  }
}

function footer(
  { memories, matching, stats }: Reply<'GET /api/memories'>,
  offset: number,
  { forgotten, isNarrowed }: { forgotten: boolean; isNarrowed: boolean },
): string {
  const kind = forgotten ? 'forgotten ' : ''
  if (matching === 0 && isNarrowed) return `No ${kind}memories of that time`
  if (matching === 0 && forgotten) return 'No forgotten memories'
  if (matching === 0) return 'No memories yet. Next: memory remember "..."'
  const all = countOf(matching, `${kind}memory`, `${kind}memories`)
  if (memories.length === 0) return `Nothing after ${offset}: ${all} in all`
  const end = offset + memories.length
  const vectors = forgotten || isNarrowed ? '' : `, ${stats.withEmbeddings} with a vector`
  const more = end < matching ? `, next: --offset ${end}` : ''
  const back = forgotten ? '\nOne comes back within 30 days: memory recover ID --reason "..."' : ''
  return `${offset + 1}-${end} of ${all}${vectors}${more}${back}`
}
