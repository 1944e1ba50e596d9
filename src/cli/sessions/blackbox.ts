import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { foundByLabel, labelOf, leftOutWords } from '../../lib/text/labels.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type SessionRow = Reply<'GET /api/sessions/blackbox'>['sessions'][number]
type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>
type Event = BlackBox['events'][number]
type ProvidedMemory = NonNullable<Event['payload']['given']>[number]

export interface SessionView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
  /** Formats tab-separated fields for pipes. */
  tabs: boolean
}

export function blackBoxTable(sessions: readonly SessionRow[], { colors, now, tabs }: SessionView): string {
  const rows = sessions.map(({ sessionKey, recallEvents, artifactEvents, lastAt, project }) => [
    plainLine(sessionKey),
    String(recallEvents),
    String(artifactEvents),
    tabs ? lastAt : formatShortAge(lastAt, now),
    plainLine(project ?? '-'),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['SESSION', 'RECALLS', 'ARTIFACTS', 'LAST', 'PROJECT'], rows, colors)
}

/**
 * Formats events in order, each with the memories it provided and why; then the session's context, its likely
 * causes, and memories that have become outdated.
 */
export function blackBoxText(
  { sessionKey, events, names, frame }: BlackBox,
  { colors }: SessionView,
): string {
  const lines = events.map(event => eventText(event, names, colors))
  const influences = frame.likelyInfluences.map(
    ({ id, score, preview }) => `  ${id}  ${score.toFixed(2)}  ${plainLine(preview)}`,
  )
  const warnings = frame.warnings.map(({ ref, message }) => `  ${ref}  ${colors.yellow(plainLine(message))}`)
  const part = (title: string, body: readonly string[]) =>
    body.length === 0 ? [] : [`${colors.bold(title)}\n${body.join('\n')}`]
  return [
    `${colors.bold(plainLine(sessionKey))}  ${countOf(events.length, 'event')}, ${countOf(frame.activeRefCount, 'memory', 'memories')} in context`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...part('likely influences', influences),
    ...part('warnings', warnings),
  ].join('\n\n')
}

function eventText(
  { at, kind, title, detail, refs, payload }: Event,
  names: BlackBox['names'],
  colors: Colors,
) {
  const { given = [], leftOut = {}, tokens, missed } = payload
  const ids = given.length > 0 ? [] : refs.map(plainLine)
  const what = [
    title,
    detail && `"${plainLine(detail)}"`,
    tokens !== undefined && countOf(tokens, 'token'),
    missed && (missed === 'late' ? 'recall took too long' : 'recall failed'),
    ...ids,
  ].filter(Boolean)
  const reasons = leftOutWords(leftOut)
  return [
    `${colors.dim(at)}  ${colors.cyan(kind)}  ${what.join('  ')}`,
    ...given.map(one => `  ${givenText(one, names[one.id])}`),
    ...(reasons.length > 0 ? [colors.dim(`  not included: ${reasons.join(', ')}`)] : []),
  ].join('\n')
}

function givenText({ kind, id, by, score }: ProvidedMemory, name: string | undefined): string {
  const why = [foundByLabel(by), score?.toFixed(2)].filter(Boolean).join(' ')
  return [labelOf('memoryType', kind), plainLine(shortId(id)), why, name && plainLine(name)]
    .filter(Boolean)
    .join('  ')
}
