import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { shortId, shortIdLength } from '../../lib/text/uuid.js'
import { formatAge } from '../../lib/time/age.js'
import type { Colors } from '../terminal/output.js'
import {
  clipText,
  displayWidth,
  type Paint,
  padText,
  plainLine,
  plainLines,
  wrapText,
} from '../terminal/text.js'

type Preview = Reply<'POST /api/sessions/preview'>
type Part = Preview['parts'][number]
type Group = Preview['groups'][number]
type LeftOut = Group['first'][number]
type Difference = NonNullable<Preview['difference']>
type Changed = Difference['added'][number]

interface PreviewView {
  colors: Colors
  /** Terminal columns. */
  width: number
  /** Milliseconds since the epoch. */
  now: number
}

const eventNames = { start: 'Session start', prompt: 'Prompt', subagent: 'Sub-agent' } as const

/** Columns of the reason and the score beside a line. */
const whyWidth = 14
const scoreWidth = 4
const gutterWidth = whyWidth + 1 + scoreWidth

/** Formats a preview: its budget, the text with the reason beside each line, and what is left out. */
export function previewText(preview: Preview, view: PreviewView): string {
  const { colors } = view
  const { parts, groups, note, shownBefore, event } = preview
  const reasonWidth = widthOf(groups.flatMap(({ first }) => first.map(reasonOf)))
  const leftOut = groups.flatMap(group => groupLines(group, { ...view, reasonWidth }))
  return [
    headLines(preview, view),
    ...(note ? [wrapText(`${note}.`, view.width).map(line => colors.yellow(line))] : []),
    ...(parts.length > 0 ? [parts.flatMap(part => partLines(part, view))] : []),
    ...(leftOut.length > 0 ? [[colors.bold('Left out'), ...leftOut]] : []),
    ...(shownBefore > 0 ? [[colors.dim(`${shownBefore} more that the session has already`)]] : []),
    [
      colors.dim(
        event === 'start'
          ? 'Nothing was recorded. Compare with the last start: memory preview --diff'
          : 'Nothing was recorded.',
      ),
    ],
  ]
    .map(lines => lines.join('\n'))
    .join('\n\n')
}

/** Formats the changes since the last start. */
export function differenceText(preview: Preview, view: PreviewView): string {
  const { colors, width, now } = view
  const { difference } = preview
  const head = headLines(preview, view).join('\n')
  if (!difference) return `${head}\n\nNo start of a session is recorded in this project yet.`
  const { added, removed, same, at, harness, sessionKey, tokens } = difference
  const by = harness ? `${labelOf('harness', harness)}, ` : ''
  const last = plainLine(`Since the last start, ${formatAge(at, now)} (${by}session ${sessionKey})`)
  const counts = [
    colors.green(`${added.length} new`),
    colors.red(`${removed.length} gone`),
    `${same} the same`,
    ...(tokens === null ? [] : [colors.dim(`${figure(tokens)} → ${figure(preview.tokens)} tokens`)]),
  ].join(colors.dim(' · '))
  const reasonWidth = widthOf([...added, ...removed].map(({ why }) => why))
  const lines = [
    ...added.flatMap(one => changedLines('+', one, { ...view, reasonWidth, paint: colors.green })),
    ...removed.flatMap(one => changedLines('-', one, { ...view, reasonWidth, paint: colors.red })),
  ]
  return [
    head,
    [...wrapText(last, width), counts].join('\n'),
    ...(lines.length > 0 ? [lines.join('\n')] : []),
  ].join('\n\n')
}

/** Formats the changes since the last start for a pipe. */
export function differenceLines({ added, removed }: Difference): string {
  const line = (sign: string, { id, kind, why, text, type }: Changed) =>
    `${[sign, why, type ?? kind, id, plainLine(text)].join('\t')}\n`
  return [...added.map(one => line('+', one)), ...removed.map(one => line('-', one))].join('')
}

function headLines(preview: Preview, { colors, width }: PreviewView): string[] {
  const { event, harness, project, projectName, branch, agentId } = preview
  const title = `${eventNames[event]} · ${labelOf('harness', harness)}`
  const place = [
    project === null ? 'no project' : projectName,
    branch,
    agentId === 'default' ? null : agentId,
  ]
  const where = plainLine(place.filter(Boolean).join(' · '))
  const gap = width - displayWidth(title) - displayWidth(where)
  const head =
    gap >= 2
      ? [`${colors.bold(title)}${' '.repeat(gap)}${colors.cyan(where)}`]
      : [colors.bold(title), colors.cyan(clipText(where, width))]
  return preview.text === '' ? head : [...head, meter(preview, { colors, width })]
}

/** Draws the used part of the budget as a bar. */
function meter({ tokens, maxTokens, event }: Preview, { colors, width }: Omit<PreviewView, 'now'>): string {
  const share = maxTokens === 0 ? 1 : tokens / maxTokens
  const words =
    event === 'prompt'
      ? ` ${figure(tokens)} tokens, facts at most ${figure(maxTokens)}`
      : ` ${figure(tokens)} of ${figure(maxTokens)} tokens, ${Math.round(100 * share)} %`
  const cells = Math.max(8, width - displayWidth(words))
  const full = Math.min(cells, Math.max(1, Math.round(share * cells)))
  const paint = share > 0.95 ? colors.yellow : colors.green
  return paint('━'.repeat(full)) + colors.dim('─'.repeat(cells - full)) + colors.bold(words)
}

/** Formats a part: its reason and score once, and its lines, wrapped. */
function partLines(part: Part, { colors, width }: PreviewView): string[] {
  const { text, why, record } = part
  const paint = paintOf(part, colors)
  const columns = Math.max(20, width - gutterWidth - 3)
  const written = text.trimEnd()
  const hasBlank = text.length - written.length > 1
  const lines = [...plainLines(written).split('\n'), ...(hasBlank ? [''] : [])].flatMap(line =>
    wrapText(line, columns),
  )
  return lines.map((line, index) => {
    const score = record?.score === undefined ? '' : record.score.toFixed(2)
    const reason =
      index === 0
        ? `${paint(padText(plainLine(why), whyWidth))} ${colors.dim(score.padStart(scoreWidth))}`
        : ' '.repeat(gutterWidth)
    return `${reason} ${paint('│')} ${isRecord(part) ? line : colors.dim(line)}`.trimEnd()
  })
}

function isRecord({ kind }: Part): boolean {
  return !['frame', 'label', 'sessionKey', 'instructions', 'plugin'].includes(kind)
}

function paintOf({ kind, record }: Part, colors: Colors): Paint {
  if (record?.pinned) return colors.yellow
  if (record) return paintOfPlace(record.place, colors)
  if (kind === 'shortened') return colors.red
  return kind === 'heading' ? colors.bold : colors.dim
}

function paintOfPlace(place: Group['place'], colors: Colors): Paint {
  const paints: Readonly<Record<Group['place'], Paint>> = {
    guide: colors.magenta,
    issue: colors.red,
    newest: colors.green,
    session: colors.blue,
    message: colors.yellow,
    entity: colors.cyan,
    answer: colors.green,
  }
  return paints[place]
}

/** Formats a kind of records and the first that are left out; nothing if all are shown. */
function groupLines(
  { place, shown, notShown, atLeast, first }: Group,
  view: PreviewView & { reasonWidth: number },
): string[] {
  const { colors } = view
  if (notShown === 0) return []
  const paint = paintOfPlace(place, colors)
  const count = `${atLeast ? 'at least ' : ''}${figure(notShown)} left out, ${figure(shown)} shown`
  const more = notShown - first.length
  return [
    `${paint(padText(labelOf('previewPlace', place), gutterWidth))} ${paint('│')} ${count}`,
    ...first.map(one => leftOutLine(one, view)),
    ...(more > 0 && first.length > 0 ? [colors.dim(`      … and ${figure(more)} more`)] : []),
  ]
}

function leftOutLine(
  one: LeftOut,
  { colors, width, reasonWidth }: PreviewView & { reasonWidth: number },
): string {
  const { id, text, type, score, pinned } = one
  const what = [pinned && 'pinned', type].filter(Boolean).join(' ')
  const columns = Math.max(12, width - scoreWidth - shortIdLength - reasonWidth - 8)
  return [
    `  ${colors.dim((score?.toFixed(2) ?? '').padStart(scoreWidth))}`,
    padText(plainLine(what ? `${what}: ${text}` : text), columns),
    colors.dim(plainLine(shortId(id))),
    colors.yellow(reasonOf(one)),
  ].join('  ')
}

function reasonOf({ reason, alikeTo }: LeftOut): string {
  return reason === 'alike' && alikeTo
    ? `same as ${plainLine(shortId(alikeTo))}`
    : labelOf('displaced', reason)
}

function widthOf(words: readonly string[]): number {
  return Math.max(0, ...words.map(displayWidth))
}

function changedLines(
  sign: string,
  { id, kind, text, type, why }: Changed,
  { colors, width, paint, reasonWidth }: PreviewView & { paint: Paint; reasonWidth: number },
): string[] {
  const shown = plainLine(text.replace(/^- /u, ''))
  const isNamed = shown.includes(shortId(id))
  const hidden = `${labelOf('memoryType', type ?? kind)} ${shortId(id)}`
  const words =
    shown === '' ? hidden : isNamed || kind !== 'memory' ? shown : `${type}: ${shown} (${shortId(id)})`
  const columns = Math.max(20, width - reasonWidth - 4)
  return wrapText(words, columns).map((line, index) =>
    index === 0
      ? `${paint(sign)} ${colors.dim(padText(plainLine(why), reasonWidth))}  ${line}`
      : `${' '.repeat(reasonWidth + 4)}${line}`,
  )
}

function figure(count: number): string {
  return count.toLocaleString('en')
}
