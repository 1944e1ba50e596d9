import type { Reply } from '../../contract/api.js'
import { shortNameOf } from '../../lib/text/project-name.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { highlight, queryStems } from '../memory/highlight.js'
import type { ResultView } from '../memory/recall.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine, wrapText } from '../terminal/text.js'

const indent = '    '

export type ListedSession = Reply<'GET /api/sessions'>['sessions'][number]

/**
 * Formats sessions as a table; `tabs` gives tab-separated fields for pipes: key, agent, harness, runtime
 * path, bypassed, seen, project.
 */
export function sessionTable(
  sessions: readonly ListedSession[],
  { colors, now, tabs }: { colors: Colors; now: number; tabs: boolean },
): string {
  const rows = sessions.map(session => [
    plainLine(tabs ? session.key : shortId(session.key)),
    plainLine(session.agentId),
    plainLine(session.harness),
    session.runtimePath ?? '-',
    session.bypassed ? 'bypassed' : '-',
    tabs ? session.seenAt : formatShortAge(session.seenAt, now),
    plainLine(tabs ? (session.project ?? '-') : shortNameOf(session.project ?? '-')),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['SESSION', 'AGENT', 'HARNESS', 'PATH', 'HOOKS', 'LAST SEEN', 'PROJECT'], rows, colors)
}

/** Formats one session as lines of name and value. */
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
      ['last seen', at(session.seenAt)],
      ['prompts', String(session.prompts)],
    ],
    colors,
  )
}

/**
 * Formats matching sessions, best first: age, project and key, then the passage with the query's words
 * highlighted.
 */
export function sessionHits(
  { query, hits }: Reply<'POST /api/sessions/search'>,
  { colors, width, now }: Pick<ResultView, 'colors' | 'width' | 'now'>,
): string {
  const stems = queryStems(query)
  return hits
    .map(({ rank, sessionKey, project, updatedAt, excerpt }) => {
      const head = [
        colors.dim(String(rank).padStart(2)),
        formatAge(updatedAt, now),
        ...(project === null ? [] : [colors.cyan(width === undefined ? project : shortNameOf(project))]),
        colors.dim(width === undefined ? sessionKey : shortId(sessionKey)),
      ]
      const text = plainLine(excerpt)
      const lines = width === undefined ? [text] : wrapText(text, width - indent.length)
      return [
        head.join('  '),
        ...lines.map(line => indent + highlight(line, stems, word => colors.bold(colors.yellow(word)))),
      ].join('\n')
    })
    .join('\n\n')
}
