import { readFileSync } from 'node:fs'
import type { Reply } from '../../contract/api.js'
import { replaceFile } from '../../lib/files/replace-file.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { shortNameOf } from '../../lib/text/names.js'
import { trail } from '../../lib/text/one-line.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge } from '../../lib/time/age.js'
import type { Colors } from '../terminal/output.js'
import { clipText, displayWidth, formatMs, plainLine, shownLines, wrapText } from '../terminal/text.js'
import { explainScore, scoreNumbers } from './explain-score.js'
import { firstMatch, highlight, queryStems } from './highlight.js'
import type { RecallBody } from './recall-flags.js'

const most = 3
/** A row below this share of the best score is weak. */
const weakShare = 0.1
const strongScore = 0.6
const fairScore = 0.3

export type RecallReply = Reply<'POST /api/memory/recall'>
export type RecallRow = RecallReply['results'][number]

type ItemKind = Reply<'POST /api/search'>['items'][number]['kind']

/** Copied here, because the schema that defines them must not load at the start. */
export const itemKinds = [
  'memory',
  'session',
  'note',
  'document',
  'code',
  'entity',
] as const satisfies readonly ItemKind[]

const kindNouns: Readonly<Record<ItemKind, readonly [one: string, several: string]>> = {
  memory: ['memory', 'memories'],
  session: ['session', 'sessions'],
  note: ['note', 'notes'],
  document: ['document passage', 'document passages'],
  code: ['code symbol', 'code symbols'],
  entity: ['entity', 'entities'],
}

/** Formats counts by kind: `3 sessions, 1 note`. */
export function countsText(counts: Partial<Record<ItemKind, number>>): string {
  return itemKinds
    .flatMap(kind => (counts[kind] ? [countOf(counts[kind], ...kindNouns[kind])] : []))
    .join(', ')
}

/** Layout of results. */
export interface ResultView {
  colors: Colors
  /** Terminal columns; undefined prints whole texts unwrapped, for pipes. */
  width: number | undefined
  /** Milliseconds since the epoch. */
  now: number
  /** Maximum content lines per result; undefined for all. */
  maxLines?: number
  /** Adds the numbers behind an explained score. */
  withNumbers?: boolean
}

const indent = '    '

/**
 * Formats the results of a query, best first, separated by blank lines: score, type, age and marks; the
 * content with the query's words highlighted; id, tags, project and author.
 */
export function recallResults(rows: readonly RecallRow[], query: string, view: ResultView): string {
  const stems = queryStems(query)
  return rows.map((row, index) => resultLines(row, index + 1, stems, view).join('\n')).join('\n\n')
}

/** @param stems from `queryStems`. @returns the lines of one result. */
function resultLines(row: RecallRow, rank: number, stems: ReadonlySet<string>, view: ResultView): string[] {
  const { colors, now } = view
  const marks = [
    row.pinned ? colors.yellow('pinned') : '',
    row.superseded_by ? colors.yellow('superseded') : '',
    row.currentness === 'expired' || row.currentness === 'upcoming' ? colors.yellow(row.currentness) : '',
    row.supplementary ? colors.dim('from your notes') : '',
  ]
  const head = [
    colors.dim(String(rank).padStart(2)),
    paintScore(row.score, colors),
    colors.cyan(labelOf('memoryType', row.type)),
    formatAge(row.created_at, now),
    ...marks,
  ]
  return [
    head.filter(Boolean).join('  '),
    ...contentLines(row, stems, view).map(
      line => indent + highlight(line, stems, text => colors.bold(colors.yellow(text))),
    ),
    ...origin(row, view).map(line => indent + colors.dim(line)),
    ...groundLines(row, colors).map(line => indent + line),
    ...explanation(row, stems, view).map(line => indent + colors.dim(line)),
  ]
}

/**
 * Formats the footer: count, time and method.
 * @param showsReason called only if semantic search was unavailable: returns true if the line should give the
 * reason.
 */
export function recallFooter(reply: RecallReply, elapsedMs: number, showsReason: () => boolean): string {
  const took = formatMs(reply.meta.timings.total ?? elapsedMs)
  const rebuilding = reply.meta.rebuilding
    ? '; the index is being rebuilt, so older memories may be missing'
    : ''
  return `${countText(reply)} in ${took}, ${methodOf(reply, showsReason)}${rebuilding}`
}

/** Says how many weak rows were left out; empty if there are none. */
export function weakLine(count: number): string {
  return count === 0 ? '' : `${countOf(count, 'weak match', 'weak matches')} left out: add --min-score 0`
}

/** Says what other kinds have; empty if they have nothing. */
export function elsewhereLine({ query, meta }: Pick<RecallReply, 'query' | 'meta'>): string {
  const found = countsText(meta.elsewhere ?? {})
  return found && `Also in ${found}: memory search ${plainLine(clipText(query, 60))}`
}

/** Passages of sources are listed along with memories, but not counted as memories. */
function countText({ count, results }: Pick<RecallReply, 'count' | 'results'>): string {
  const passages = results.filter(({ type }) => type === 'source_chunk').length
  const memories = countOf(count - passages, 'memory', 'memories')
  if (passages === 0) return memories
  const ofSources = `${countOf(passages, 'passage')} from sources`
  return passages === count ? ofSources : `${memories} and ${ofSources}`
}

/** Gives advice after an empty result. @param nearest true if close matches are shown below */
export function noHitsHelp(
  reply: RecallReply,
  { narrowed, isNear = false, nearest = false }: { narrowed: boolean; isNear?: boolean; nearest?: boolean },
): string {
  const query = plainLine(clipText(reply.query, 60))
  if (nearest) return `No good match for "${query}". Closest:\n`
  const advice = narrowed
    ? 'Remove a filter, lower --min-score, or try other words.'
    : 'Try other words, or save it: memory remember "..."'
  const wider = isNear ? ' To search all projects, add --all-projects.' : ''
  return `No memory matches "${query}". ${advice}${wider}`
}

function methodOf({ method, meta }: RecallReply, showsReason: () => boolean): string {
  if (method === 'keyword') {
    return meta.embedding && showsReason() ? `keyword only: ${plainLine(meta.embedding)}` : 'keyword only'
  }
  if (method === 'none') return 'the query contains no searchable words'
  const window = meta.vectorCompleteness === 'recent-window' ? ` (newest ${meta.searchedWindow} vectors)` : ''
  return method === 'hybrid' ? `keyword and semantic${window}` : `semantic only${window}`
}

function contentLines(row: RecallRow, stems: ReadonlySet<string>, view: ResultView): string[] {
  if (view.width === undefined) return shownLines(row, undefined)
  const lines = shownLines(row, Math.max(20, view.width - indent.length))
  if (view.maxLines === undefined || lines.length <= view.maxLines) return lines
  return excerpt(lines, stems, view.maxLines)
}

/** Returns the lines around the first match; omissions are marked. */
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
    width === undefined ? row.id : shortId(row.id),
    tags.join(' '),
    row.project &&
      (width === undefined || !isCommit(row.project)) &&
      `project ${plainLine(shortNameOf(row.project))}`,
    row.scope && `scope ${plainLine(row.scope)}`,
    row.who && `by ${plainLine(labelOf('harness', row.who))}`,
    row.document && plainLine(trail([row.document.title, row.document.heading, row.document.page])),
    row.source_path && plainLine(row.source_path),
  ].filter(Boolean)
  const line = parts.join(' · ')
  return width === undefined ? [line] : wrapText(line, Math.max(20, width - indent.length))
}

/** A project without a remote is named by its first commit, which says nothing to a person. */
function isCommit(project: string): boolean {
  return /^git:[0-9a-f]{40}$/u.test(project)
}

/** Lists the code that the memory refers to, with changes since then. */
function groundLines({ code = [] }: RecallRow, colors: Colors): string[] {
  if (code.length === 0) return []
  const parts = code.map(({ target, path, line, state }) => {
    const place = path === null || path === target ? '' : ` (${path}${line === null ? '' : `:${line}`})`
    const text = plainLine(`${target}${place}`)
    return state === 'here' ? colors.dim(text) : `${colors.dim(text)} ${colors.yellow(state)}`
  })
  return [`${colors.dim('code')} ${parts.join(', ')}`]
}

function explanation(
  row: RecallRow,
  stems: ReadonlySet<string>,
  { width, withNumbers }: ResultView,
): string[] {
  if (!row.explain) return []
  const sentence = `Why: ${explainScore(row, stems)}`
  const lines = width === undefined ? [sentence] : wrapText(sentence, Math.max(20, width - indent.length))
  return withNumbers ? [...lines, ...scoreNumbers(row.explain)] : lines
}

/** Colours a score by its strength, so that a weak row does not look like an answer. */
function paintScore(score: number, colors: Colors): string {
  const text = score.toFixed(2)
  if (score >= strongScore) return colors.bold(colors.green(text))
  return score >= fairScore ? colors.yellow(text) : colors.dim(text)
}

/** Returns the rows that are worth reading on a terminal: all but those far below the best one. */
export function strongRows(rows: readonly RecallRow[]): RecallRow[] {
  const best = Math.max(0, ...rows.map(({ score }) => score))
  return rows.filter(({ score }) => score >= best * weakShare)
}

/**
 * Returns true once a day in local time, for hints that need not be repeated with every command.
 * @param file stores the day of the last hint. If it cannot be read or written, the hint is repeated.
 */
export function isFirstToday(file: string, now: Date): boolean {
  const today = now.toDateString()
  try {
    if (readFileSync(file, 'utf8') === today) return false
  } catch {
    // This is the first hint in this workspace, or the file is unreadable.
  }
  try {
    replaceFile(file, today, 0o600)
  } catch {
    // The disk is full, or the workspace belongs to another user; a repeated hint does no harm.
  }
  return true
}

/**
 * Finds the closest matches for a query without good matches: the same recall without its cut-off, as a trial
 * (recall.md#trials). Returns none on errors, because callers who may recall may lack the permission for
 * trials.
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
