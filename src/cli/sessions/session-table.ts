import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { shortNameOf } from '../../lib/text/names.js'
import { shortId } from '../../lib/text/uuid.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { highlight, queryStems } from '../memory/highlight.js'
import type { ResultView } from '../memory/recall.js'
import { type Colors, formatFields } from '../terminal/output.js'
import { clipText, plainLine, wrapText } from '../terminal/text.js'

const indent = '    '

export type ListedSession = Reply<'GET /api/sessions'>['sessions'][number]
type Session = Reply<'GET /api/sessions/:key'>
type Work = Reply<'GET /api/sessions/:key/work'>
type FileWork = Reply<'GET /api/sessions/work'>

const mostFiles = 12

/** Formats what a session did with tools, one block a turn. */
export function workText({ turns, failing }: Work, { colors, now }: { colors: Colors; now: number }): string {
  const blocks = turns.map(({ at, asked, tools, files, commands, tests, commits, failed }) => {
    const changed = files.filter(file => file.changed).map(({ path }) => plainLine(path))
    const ended = (ok: boolean | undefined): string =>
      ok === undefined ? ' ' : ok ? colors.green('ok') : colors.red('failed')
    const uses = tools.map(({ name, uses: count }) => `${plainLine(name)} ${count}`).join(', ')
    const more = changed.length - mostFiles
    return [
      `${formatShortAge(at, now).padStart(5)}  ${colors.bold(plainLine(asked) || 'before the first prompt')}`,
      `       ${uses}${failed > 0 ? `, ${failed} failed` : ''}`,
      ...changed.slice(0, mostFiles).map(path => `       changed ${path}`),
      ...(more > 0 ? [`       and ${countOf(more, 'more file')}`] : []),
      ...commands.map(({ command, ok }) => `       ${ended(ok)}  ${plainLine(command)}`),
      ...tests.flatMap(({ counts }) => (counts === undefined ? [] : `       tests: ${plainLine(counts)}`)),
      ...commits.map(commit => `       commit ${plainLine(commit)}`),
    ].join('\n')
  })
  const open = failing.map(({ command }) => `Failed when it ran last: ${plainLine(command)}`)
  return [...blocks, ...open].join('\n')
}

/** Formats the sessions that touched a file, the last ones first. */
export function fileWorkText({ turns }: FileWork, { colors, now }: { colors: Colors; now: number }): string {
  return turns
    .map(({ at, changed, asked, sessionKey }) => {
      const verb = changed ? 'changed' : 'read'
      const because = plainLine(asked) || 'no prompt'
      return `${formatShortAge(at, now).padStart(5)}  ${verb}  ${because}  ${colors.dim(plainLine(shortId(sessionKey)))}`
    })
    .join('\n')
}

/**
 * Formats sessions for pipes, one per line, tab-separated: key, agent, harness, runtime path, bypassed, seen,
 * project, live or past, messages, saved memories, the session it was forked from, title.
 */
export function sessionLines(sessions: readonly ListedSession[]): string {
  const fields = (session: ListedSession) => [
    session.key,
    session.agentId,
    session.harness,
    session.runtimePath ?? '-',
    session.bypassed ? 'bypassed' : '-',
    session.seenAt,
    session.project ?? '-',
    session.isLive ? 'live' : 'past',
    String(session.turns),
    String(session.memories),
    session.forkOf ?? '-',
    session.title ?? '-',
  ]
  return sessions.map(session => fields(session).map(plainLine).join('\t')).join('\n')
}

/** Formats sessions for people, in two lines each: the title with its age, then what is known and the key. */
export function sessionTable(
  sessions: readonly ListedSession[],
  { colors, now, columns }: { colors: Colors; now: number; columns: number },
): string {
  return sessions
    .map(session => {
      const age = formatShortAge(session.seenAt, now).padStart(5)
      const title = clipText(plainLine(session.title ?? 'no prompt yet'), columns - 8)
      const facts = [
        labelOf('harness', session.harness),
        ...(session.project === null ? [] : [plainLine(shortNameOf(session.project))]),
        ...(session.isLive ? [colors.green('live')] : []),
        ...(session.bypassed ? [colors.yellow('hooks off')] : []),
        countOf(session.turns, 'message'),
        ...(session.memories > 0 ? [countOf(session.memories, 'memory', 'memories')] : []),
        ...(session.forkOf ? [`forked from ${plainLine(session.forkOf)}`] : []),
      ].join(' · ')
      return `${colors.dim(age)}  ${colors.bold(title)}\n       ${facts}\n       ${colors.dim(plainLine(shortId(session.key)))}`
    })
    .join('\n')
}

/** Formats one session as lines of name and value. */
export function sessionText(session: Session, { colors, now }: { colors: Colors; now: number }): string {
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
