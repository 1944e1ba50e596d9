import type { Reply } from '../../contract/api.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

export type ListedSession = Reply<'GET /api/sessions'>['sessions'][number]

/** Sessions as a table; `tabs` gives tab-separated fields for pipes: key, agent, harness, runtime path, bypassed, seen, project. */
export function sessionTable(
  sessions: readonly ListedSession[],
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const rows = sessions.map(session => [
    plainLine(session.key),
    plainLine(session.agentId),
    plainLine(session.harness),
    session.runtimePath ?? '-',
    session.bypassed ? 'bypassed' : '-',
    tabs ? session.seenAt : formatShortAge(session.seenAt, now),
    plainLine(session.project ?? '-'),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['SESSION', 'AGENT', 'HARNESS', 'PATH', 'HOOKS', 'SEEN', 'PROJECT'], rows, colors)
}

/** One session as lines of name and value. */
export function sessionText(
  session: ListedSession,
  { colors, now }: { colors: Colors; now: number },
): string {
  const at = (iso: string | null) => (iso === null ? '-' : `${iso} (${formatAge(iso, now)})`)
  return formatFields(
    [
      ['session', plainLine(session.key)],
      ['agent', plainLine(session.agentId)],
      ['harness', plainLine(session.harness)],
      ['project', plainLine(session.project ?? '-')],
      ['runtime path', session.runtimePath ?? '-'],
      ['claimed', at(session.claimedAt)],
      ['claim expires', at(session.expiresAt)],
      ['bypassed', session.bypassed ? 'yes' : 'no'],
      ['parent', plainLine(session.parentKey ?? '-')],
      ['started', at(session.startedAt)],
      ['seen', at(session.seenAt)],
      ['prompts', String(session.prompts)],
    ],
    colors,
  )
}
