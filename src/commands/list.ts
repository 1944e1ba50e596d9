import { Flags } from '@oclif/core'
import { DaemonCommand } from '../cli/daemon-command.js'
import { memoryTable } from '../cli/memory/table.js'
import { colorsFor, outputWidth, print, printNote } from '../cli/output.js'
import { countOf } from '../lib/count-of.js'

export default class List extends DaemonCommand {
  static override summary = 'List memories, newest first.'
  static override description =
    'A table on a terminal (* marks a pinned memory). In a pipe: one line a memory with tab-separated fields: ' +
    'id, created_at, type, pinned, tags, content.'
  static override examples = [
    '<%= config.bin %> list --limit 20',
    '<%= config.bin %> list --limit 1000 | cut -f1',
  ]
  static override flags = {
    limit: Flags.integer({ summary: 'At most this many.', char: 'n', default: 20, min: 1, max: 1000 }),
    offset: Flags.integer({ summary: 'Skip this many.', default: 0, min: 0, max: 10_000_000 }),
  }

  async run() {
    const { limit, offset } = (await this.parse(List)).flags
    const reply = await this.call('GET /api/memories', { query: { limit, offset } })
    if (this.jsonEnabled()) return reply
    const { memories, stats } = reply
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (memories.length > 0) print(memoryTable(memories, { colors: colorsFor(), width, now: Date.now() }))
    printNote(colorsFor(process.stderr).dim(footer(memories.length, offset, stats)))
    return reply
  }
}

function footer(shown: number, offset: number, stats: { total: number; withEmbeddings: number }): string {
  if (stats.total === 0) return 'No memories yet. Next: memory remember "..."'
  if (shown === 0) return `Nothing after ${offset}: there are ${countOf(stats.total, 'memory', 'memories')}`
  const range = `${offset + 1}-${offset + shown} of ${countOf(stats.total, 'memory', 'memories')}`
  const more = offset + shown < stats.total ? `, next: --offset ${offset + shown}` : ''
  return `${range}, ${stats.withEmbeddings} with a vector${more}`
}
