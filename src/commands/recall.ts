import { hereOf, isNarrowedByFolder } from '../cli/memory/project-flags.js'
import {
  elsewhereLine,
  isFirstToday,
  nearestRows,
  noHitsHelp,
  recallFooter,
  recallResults,
  strongRows,
  weakLine,
} from '../cli/memory/recall.js'
import { type RecallBody, recallFilters, recallFlags } from '../cli/memory/recall-flags.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { queryArgument, queryOf } from '../cli/shell/query-argument.js'
import { colorsFor, outputWidth, printNote } from '../cli/terminal/output.js'
import { printLong } from '../cli/terminal/pager.js'
import type { RecallChannel } from '../contract/memory/memory.js'
import { workspacePaths } from '../lib/workspace/paths.js'

const resultContentLines = 4

export default class Recall extends DaemonCommand {
  static override summary = 'Search memories by meaning and by keywords.'
  static override description =
    "Searches the memories of the current folder's project first, and those of no project. " +
    'Prints the best matches first: score, type, age, text with the query words highlighted, id and tags. On ' +
    'a terminal, long texts are shortened around the first match; --full shows them whole, and rows far below ' +
    'the best one are left out; --min-score 0 shows them. If nothing is ' +
    'relevant, the exit code is still 0, and on a terminal the three closest memories are shown. A last line ' +
    'counts what memory search finds in sessions, notes, documents, code and entities. If semantic ' +
    'search is unavailable, the reason is printed once a day; memory status always shows it.'
  static override examples = [
    '<%= config.bin %> recall which database does billing use',
    '<%= config.bin %> recall "deploy steps" --type procedural --since 30d',
    '<%= config.bin %> recall flaky tests --project api --limit 3 --json',
  ]
  static override args = queryArgument
  static override flags = recallFlags

  async run() {
    const { args, flags } = await this.parse(Recall)
    const query = queryOf(args)
    const filters = recallFilters(flags)
    const started = Date.now()
    const asked = {
      query,
      ...filters,
      keywordQuery: flags['keyword-query'],
      limit: flags.limit,
      explain: flags.explain || flags.verbose,
      trial: flags.trial,
      channels: flags.channel as RecallChannel[] | undefined,
    }
    const ask = (body: RecallBody) => this.call('POST /api/memory/recall', { body }, hereOf(flags))
    const reply = await ask({ ...asked, elsewhere: true })
    if (this.jsonEnabled()) return reply
    const elapsedMs = Date.now() - started
    const colors = colorsFor()
    const onTerminal = process.stdout.isTTY === true
    const isEmpty = reply.results.length === 0
    const nearest = isEmpty && onTerminal && filters.score_min === undefined
    const found = nearest ? await nearestRows(ask, asked) : reply.results
    const rows = onTerminal && filters.score_min === undefined ? strongRows(found) : found
    if (isEmpty) {
      const narrowed = Object.values(filters).some(value => value !== undefined)
      const isNear = isNarrowedByFolder(flags)
      await this.noteUnknownProject(flags.project)
      printNote(noHitsHelp(reply, { narrowed, isNear, nearest: rows.length > 0 }))
    }
    this.keepRows(
      'memory',
      rows.map(({ id }) => id),
    )
    if (rows.length > 0) {
      const width = onTerminal ? Math.min(outputWidth(), 100) : undefined
      await printLong(
        recallResults(onTerminal ? await this.withProjectNames(rows) : rows, query, {
          colors,
          width,
          now: Date.now(),
          maxLines: flags.full ? undefined : resultContentLines,
          withNumbers: flags.verbose,
        }),
      )
    }
    const tellsWhy = () => isFirstToday(workspacePaths(this.globals.workspace).recallNote, new Date())
    const footer = recallFooter(reply, elapsedMs, tellsWhy)
    const weak = found.length - rows.length
    const notes = [footer, weakLine(weak), elsewhereLine(reply)].filter(Boolean).join('\n')
    printNote(colorsFor(process.stderr).dim(`${onTerminal ? '\n' : ''}${notes}`))
    return reply
  }
}
