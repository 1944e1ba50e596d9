import { Flags } from '@oclif/core'
import { filterFlags, momentOf } from '../cli/memory/flags.js'
import { searchFooter, searchHits } from '../cli/memory/items.js'
import { hereOf, isNarrowedByFolder, readingProjectFlags } from '../cli/memory/project-flags.js'
import { itemKinds } from '../cli/memory/recall.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { queryArgument, queryOf } from '../cli/shell/query-argument.js'
import { colorsFor, outputWidth, printNote } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { Reply } from '../contract/api.js'

export default class Search extends DaemonCommand {
  static override summary = 'Search memories, sessions, notes, documents, code and entities together.'
  static override description =
    "Searches the current folder's project and what belongs to no project. Prints one list, best first: " +
    'kind, title, project, age, the matching passage and the id. memory get ID opens any of them. For memories ' +
    'only, memory recall has more filters.'
  static override examples = [
    '<%= config.bin %> search cart total off by a cent',
    '<%= config.bin %> search stripe webhook --kind session --kind note',
    '<%= config.bin %> search deploy --all-projects --since 30d --json',
  ]
  static override args = queryArgument
  static override flags = {
    kind: Flags.string({
      summary: 'Only this kind (repeatable).',
      char: 'k',
      options: itemKinds,
      multiple: true,
      multipleNonGreedy: true,
      helpGroup: 'FILTER',
    }),
    who: Flags.string({
      summary: 'Only by this author, or sessions of this agent program.',
      helpValue: 'NAME',
      helpGroup: 'FILTER',
    }),
    since: filterFlags.since,
    until: filterFlags.until,
    ...readingProjectFlags,
    limit: Flags.integer({ summary: 'Maximum number of results.', char: 'n', default: 10, min: 1, max: 100 }),
    offset: Flags.integer({ summary: 'Number of results to skip.', default: 0, min: 0, max: 1000 }),
  }

  async run(): Promise<Reply<'POST /api/search'>> {
    const { args, flags } = await this.parse(Search)
    const { kind, who, project, limit, offset } = flags
    const body = {
      query: queryOf(args),
      kinds: kind as (typeof itemKinds)[number][] | undefined,
      who,
      project,
      since: momentOf('--since', flags.since),
      until: momentOf('--until', flags.until),
      limit,
      offset,
    }
    const started = Date.now()
    const reply = await this.call('POST /api/search', { body }, hereOf(flags))
    if (this.jsonEnabled()) return reply
    const width = process.stdout.isTTY ? Math.min(outputWidth(), 100) : undefined
    if (reply.items.length === 0) await this.noteUnknownProject(project)
    else {
      const items = width === undefined ? reply.items : await this.withProjectNames(reply.items)
      const view = { colors: colorsFor(), width, now: Date.now() }
      await printLong(searchHits({ ...reply, items }, view, offset))
    }
    this.keepRows(
      'item',
      reply.items.map(({ id }) => id),
    )
    const dim = colorsFor(process.stderr).dim
    const view = { offset, elapsedMs: Date.now() - started, isNear: isNarrowedByFolder(flags) }
    printNote(dim(searchFooter(reply, view)))
    return reply
  }
}
