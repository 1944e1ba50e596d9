import { readFileSync } from 'node:fs'
import type { Reply } from '../../contract/api.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import { countOf } from '../../lib/text/count-of.js'
import { trail } from '../../lib/text/trail.js'
import { formatAge } from '../../lib/time/age.js'
import type { Colors } from '../terminal/output.js'
import { clipText, displayWidth, formatMs, plainLine, wrapText } from '../terminal/text.js'
import { firstMatch, highlight, queryStems } from './highlight.js'
import type { RecallBody } from './recall-flags.js'

const most = 3

export type RecallReply = Reply<'POST /api/memory/recall'>
export type RecallRow = RecallReply['results'][number]

/** Where results are drawn. */
export interface ResultView {
  colors: Colors
  /** Columns; undefined prints whole texts unwrapped, for pipes. */
  width: number | undefined
  /** Milliseconds since the epoch. */
  now: number
  /** Lines of content that a result may take; undefined for all. */
  maxLines?: number
}

const indent = '    '

/**
 * The answers to one query, best first, a blank line between them: score, type, age and marks; the content with
 * the words of the query marked; id, tags, project and author.
 */
export function recallResults(rows: readonly RecallRow[], query: string, view: ResultView): string {
  const stems = queryStems(query)
  return rows.map((row, index) => resultLines(row, index + 1, stems, view).join('\n')).join('\n\n')
}

/** @param stems as `queryStems` gives them. @returns the lines of one answer. */
function resultLines(row: RecallRow, rank: number, stems: ReadonlySet<string>, view: ResultView): string[] {
  const { colors, now } = view
  const marks = [
    row.pinned ? colors.yellow('pinned') : '',
    row.superseded_by ? colors.yellow('superseded') : '',
    row.currentness === 'expired' || row.currentness === 'upcoming' ? colors.yellow(row.currentness) : '',
    row.supplementary ? colors.dim('supplementary') : '',
  ]
  const head = [
    colors.dim(String(rank).padStart(2)),
    colors.bold(colors.green(row.score.toFixed(2))),
    colors.cyan(row.type),
    formatAge(row.created_at, now),
    ...marks,
  ]
  return [
    head.filter(Boolean).join('  '),
    ...contentLines(plainLine(row.content), stems, view).map(
      line => indent + highlight(line, stems, text => colors.bold(colors.yellow(text))),
    ),
    ...origin(row, view).map(line => indent + colors.dim(line)),
    ...groundLines(row, colors).map(line => indent + line),
    ...explanation(row).map(line => indent + colors.dim(line)),
  ]
}

/**
 * One line under the answers: how many, how fast, and by which method.
 * @param tellsWhy asked only where meaning had no part for a reason: whether the line tells that reason this time.
 */
export function recallFooter(reply: RecallReply, elapsedMs: number, tellsWhy: () => boolean): string {
  const took = formatMs(reply.meta.timings.total ?? elapsedMs)
  const rebuilding = reply.meta.rebuilding
    ? '; the index is being rebuilt, older memories may be missing'
    : ''
  return `${foundText(reply)} in ${took}, ${methodOf(reply, tellsWhy)}${rebuilding}`
}

/** Passages of sources stand beside memories and are none. */
function foundText({ count, results }: Pick<RecallReply, 'count' | 'results'>): string {
  const passages = results.filter(({ type }) => type === 'source_chunk').length
  const memories = countOf(count - passages, 'memory', 'memories')
  if (passages === 0) return memories
  const told = `${countOf(passages, 'passage')} of sources`
  return passages === count ? told : `${memories} and ${told}`
}

/** What to do when nothing was found. @param nearest whether something is shown that may be meant */
export function noHitsHelp(reply: RecallReply, narrowed: boolean, nearest = false): string {
  const query = plainLine(clipText(reply.query, 60))
  if (nearest) return `Nothing surely answers "${query}". Nearest to it:\n`
  const advice = narrowed
    ? 'Drop a filter, lower --min-score, or use other words.'
    : 'Use other words, or save it: memory remember "..."'
  return `No memory matches "${query}". ${advice}`
}

function methodOf({ method, meta }: RecallReply, tellsWhy: () => boolean): string {
  if (method === 'keyword') {
    return meta.embedding && tellsWhy() ? `keyword only: ${plainLine(meta.embedding)}` : 'keyword only'
  }
  if (method === 'none') return 'nothing in the query can be searched for'
  const window = meta.vectorCompleteness === 'recent-window' ? ` (newest ${meta.searchedWindow} vectors)` : ''
  return method === 'hybrid' ? `by meaning and words${window}` : `by meaning${window}`
}

function contentLines(content: string, stems: ReadonlySet<string>, view: ResultView): string[] {
  if (view.width === undefined) return [content]
  const lines = wrapText(content, Math.max(20, view.width - indent.length))
  if (view.maxLines === undefined || lines.length <= view.maxLines) return lines
  return excerpt(lines, stems, view.maxLines)
}

/** The lines around the first one that has a word of the query; cuts are marked. */
function excerpt(lines: readonly string[], stems: ReadonlySet<string>, maxLines: number): string[] {
  const hit = Math.max(
    0,
    lines.findIndex(line => firstMatch(line, stems) >= 0),
  )
  const from = Math.min(Math.max(0, hit - 1), lines.length - maxLines)
  const shown = lines.slice(from, from + maxLines)
  if (from > 0) shown[0] = `…${shown[0]!.slice(1)}`
  if (from + maxLines < lines.length) {
    const last = shown[maxLines - 1]!
    shown[maxLines - 1] = `${clipText(last, Math.max(1, displayWidth(last) - 2)).replace(/…$/, '')} …`
  }
  return shown
}

function origin(row: RecallRow, { width }: ResultView): string[] {
  const tags = row.tags
    .split(',')
    .filter(Boolean)
    .map(tag => `#${plainLine(tag)}`)
  const parts = [
    row.id,
    tags.join(' '),
    row.project && `project ${plainLine(row.project)}`,
    row.scope && `scope ${plainLine(row.scope)}`,
    row.who && `by ${plainLine(row.who)}`,
    row.document && plainLine(trail([row.document.title, row.document.heading, row.document.page])),
    row.source_path && plainLine(row.source_path),
  ].filter(Boolean)
  const line = parts.join(' · ')
  return width === undefined ? [line] : wrapText(line, Math.max(20, width - indent.length))
}

/** What the memory says of code, and what of it is no longer as it was. */
function groundLines({ code = [] }: RecallRow, colors: Colors): string[] {
  if (code.length === 0) return []
  const parts = code.map(({ target, path, line, state }) => {
    const place = path === null || path === target ? '' : ` (${path}${line === null ? '' : `:${line}`})`
    const text = plainLine(`${target}${place}`)
    return state === 'here' ? colors.dim(text) : `${colors.dim(text)} ${colors.yellow(state)}`
  })
  return [`${colors.dim('code')} ${parts.join(', ')}`]
}

function explanation({ explain }: RecallRow): string[] {
  if (!explain) return []
  const steps = explain.contributions.map(
    ({ step, effect, value }) => `${effect === 'add' ? '+' : 'x'} ${value.toFixed(3)}  ${plainLine(step)}`,
  )
  return [...steps, `= ${plainLine(explain.formula)}, evidence ${explain.evidence.toFixed(3)}`]
}

/**
 * True once a day by the clock of this machine, for what need not be told with every command.
 * @param file holds the day when it was told last. One that cannot be read or written tells it once more.
 */
export function firstToday(file: string, now: Date): boolean {
  const today = now.toDateString()
  try {
    if (readFileSync(file, 'utf8') === today) return false
  } catch {
    // Never told in this workspace, or nobody can say.
  }
  try {
    replaceFile(file, today, 0o600)
  } catch {
    // A full disk, or a workspace of another user: telling it twice does no harm.
  }
  return true
}

/**
 * What comes nearest to a query that nothing surely answers, for a person to look at: the same recall without its
 * cut-off, as a trial (recall.md#trials). None where that fails: who may recall may not always try.
 *
 * @param ask sends a recall
 */
export async function nearestRows(
  ask: (body: RecallBody) => Promise<RecallReply>,
  body: RecallBody,
): Promise<RecallRow[]> {
  try {
    const { results } = await ask({ ...body, score_min: 0, limit: most, trial: true })
    return results
  } catch {
    return []
  }
}
