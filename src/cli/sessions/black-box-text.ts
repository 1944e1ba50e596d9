import type { Reply } from '../../contract/api.js'
import { formatShortAge } from '../../lib/age.js'
import { countOf } from '../../lib/count-of.js'
import { type Colors, formatTable } from '../output.js'
import { plainLine } from '../text.js'

type Listed = Reply<'GET /api/sessions/blackbox'>['sessions'][number]
type BlackBox = Reply<'GET /api/sessions/:key/blackbox'>

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

/** Events in their order, then what is in the session's context, what likely led it, and what no longer holds. */
export function blackBoxText({ sessionKey, events, frame }: BlackBox, { colors }: SessionView): string {
  const lines = events.map(({ at, kind, title, detail, refs }) => {
    const what = [title, detail && `"${plainLine(detail)}"`, ...refs.map(plainLine)].filter(Boolean)
    return `${colors.dim(at)}  ${colors.cyan(kind)}  ${what.join('  ')}`
  })
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
