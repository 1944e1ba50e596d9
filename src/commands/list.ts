import { Flags } from '@oclif/core'
import { filterFlags, momentOf } from '../cli/memory/flags.js'
import { memoryTable } from '../cli/memory/list.js'
import { branchFlag, hereOf, isNarrowedByFolder, readingProjectFlags } from '../cli/memory/project-flags.js'
import { recallFlags } from '../cli/memory/recall-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { listFlags, listPage, printItems } from '../cli/shell/list-output.js'
import { rowOf } from '../cli/shell/listed-rows.js'
import { colorsFor, outputWidth, printNote } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { Reply } from '../contract/api.js'
import { countOf, rangeOf } from '../lib/text/count-of.js'

export default class List extends DaemonCommand {
  static override summary = 'List memories, newest first, or those that a filter selects.'
  static override description =
    "Shows the memories of the current folder's project and of no project, as a table; * marks pinned ones. When piped, prints one memory per line with tab-separated " +
    'fields: id, created_at, type, pinned, tags, content.'
  static override examples = [
    '<%= config.bin %> list --limit 20',
    '<%= config.bin %> list --since yesterday',
    '<%= config.bin %> list --all-projects',
    '<%= config.bin %> list --type rule --tags deploy --sort importance',
    '<%= config.bin %> list --format "{{.id}} {{.content}}"',
    '<%= config.bin %> list --limit 1000 -q',
    '<%= config.bin %> list --forgotten',
  ]
  static override flags = {
    limit: Flags.integer({
      summary: 'Maximum number of memories.',
      char: 'n',
      default: 20,
      min: 1,
      max: 1000,
    }),
    offset: Flags.integer({ summary: 'Number of memories to skip.', default: 0, min: 0, max: 10_000_000 }),
    sort: Flags.option({
      summary: 'Order of the memories.',
      options: ['newest', 'oldest', 'changed', 'importance'] as const,
      default: 'newest',
    })(),
    ...listFlags,
    type: recallFlags.type,
    tags: filterFlags.tags,
    who: filterFlags.who,
    pinned: recallFlags.pinned,
    session: rowOf(
      'session',
      Flags.string({
        summary: 'Only memories saved in this session.',
        char: 's',
        helpValue: 'KEY',
        helpGroup: 'FILTER',
      }),
    ),
    kind: Flags.string({
      summary: 'Only memories of this kind: episodic for all that were saved, others by import.',
      helpValue: 'KIND',
      helpGroup: 'FILTER',
    }),
    ...readingProjectFlags,
    ...branchFlag,
    since: filterFlags.since,
    until: filterFlags.until,
    expired: Flags.boolean({
      summary:
        'Only memories that have expired; recall leaves them out. To keep one: memory remember the same text.',
      helpGroup: 'FILTER',
    }),
    forgotten: Flags.boolean({
      summary: 'List forgotten memories instead; to bring one back within 30 days: memory recover.',
    }),
  }

  async run() {
    const { limit, offset, forgotten, ...flags } = (await this.parse(List)).flags
    const since = momentOf('--since', flags.since)
    const until = momentOf('--until', flags.until)
    const { tags, who, pinned, kind, project, branch, session: sessionId, sort, expired } = flags
    const filters = {
      type: flags.type?.join(','),
      tags: tags?.join(','),
      who,
      pinned,
      sessionId,
      since,
      until,
      branch,
      kind,
      expired,
    }
    const query = { ...filters, limit, offset, project, sort, deleted: forgotten || undefined }
    const reply = await this.call('GET /api/memories', { query }, hereOf(flags))
    const page = listPage(reply.memories, { total: reply.matching, offset })
    if (this.jsonEnabled()) return { ...reply, ...page }
    if (printItems(page, flags)) return reply
    const { memories } = reply
    this.keepRows(
      'memory',
      memories.map(({ id }) => id),
    )
    const width = process.stdout.isTTY ? outputWidth() : undefined
    if (reply.matching === 0) await this.noteUnknownProject(project)
    const rows = width === undefined ? memories : await this.withProjectNames(memories)
    if (memories.length > 0)
      await printLong(memoryTable(rows, { colors: colorsFor(), width, now: Date.now() }))
    const isNarrowed = Object.values(filters).some(value => value !== undefined)
    printNote(
      colorsFor(process.stderr).dim(footer(reply, offset, { forgotten, isNarrowed, scope: scopeOf(flags) })),
    )
    return reply
  }
}

/** Names the part of the memories that was listed; empty for all. */
function scopeOf(flags: Parameters<typeof hereOf>[0]): string {
  if (flags['no-project']) return ' of no project'
  return flags.project !== undefined || isNarrowedByFolder(flags) ? ' of this project' : ''
}

function footer(
  { memories, matching }: Reply<'GET /api/memories'>,
  offset: number,
  { forgotten, isNarrowed, scope }: { forgotten: boolean; isNarrowed: boolean; scope: string },
): string {
  const kind = forgotten ? 'forgotten ' : ''
  if (matching === 0 && isNarrowed) return `No ${kind}memories${scope} match these filters`
  if (matching === 0 && scope)
    return `No ${kind}memories${scope}. For those of all projects: memory list --all-projects`
  if (matching === 0 && forgotten) return 'No forgotten memories'
  if (matching === 0) return 'No memories yet. Next: memory remember "..."'
  const all = countOf(matching, `${kind}memory`, `${kind}memories`)
  if (memories.length === 0) return `No memories after ${offset}; there are ${all}`
  const end = offset + memories.length
  const more = end < matching ? `, next: --offset ${end}` : ''
  const back = forgotten ? '\nTo bring one back within 30 days: memory recover @1' : ''
  return `${rangeOf({ offset, shown: memories.length, total: matching }, all)}${more}${back}`
}
