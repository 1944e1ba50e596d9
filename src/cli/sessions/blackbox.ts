import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { leftOutWords } from '../../lib/text/left-out.js'
import { formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type Listed = Reply<'GET /api/sessions/blackbox'>['sessions'][number]
type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>
type Event = BlackBox['events'][number]
type Given = NonNullable<Event['payload']['given']>[number]

export interface SessionView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
  /** Tab-separated fields, for pipes. */
  tabs: boolean
}

export function blackBoxTable(sessions: readonly Listed[], { colors, now, tabs }: SessionView): string {
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

/** Events in their order, each with what it gave and why, then what is in the session's context, what likely led it, and what no longer holds. */
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
    missed && `looking ${missed === 'late' ? 'took too long' : 'failed'}`,
    ...ids,
  ].filter(Boolean)
  const reasons = leftOutWords(leftOut)
  return [
    `${colors.dim(at)}  ${colors.cyan(kind)}  ${what.join('  ')}`,
    ...given.map(one => `  ${givenText(one, names[one.id])}`),
    ...(reasons.length > 0 ? [colors.dim(`  left out: ${reasons.join(', ')}`)] : []),
  ].join('\n')
}

function givenText({ kind, id, by, score }: Given, name: string | undefined): string {
  const why = [`by ${by}`, score?.toFixed(2)].filter(Boolean).join(' ')
  return [kind, plainLine(id), why, name && plainLine(name)].filter(Boolean).join('  ')
}
