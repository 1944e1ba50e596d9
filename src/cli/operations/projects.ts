import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatAge, formatShortAge } from '../../lib/time/age.js'
import { type Colors, formatFields, formatTable } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type ProjectsReply = Reply<'GET /api/projects'>
export type ShownProject = ProjectsReply['projects'][number]
export type JoinPreview = Omit<Reply<'POST /api/projects/join'>, 'dryRun'>
type History = NonNullable<ProjectsReply['history']>

interface ProjectView {
  colors: Colors
  /** Milliseconds since the epoch. */
  now: number
}

/**
 * Formats projects as a table; `tabs` gives tab-separated fields for pipes: name, key, folders (joined by
 * commas), memories, sessions, time of last use.
 */
export function projectTable(
  projects: readonly ShownProject[],
  { colors, now, tabs }: ProjectView & { tabs: boolean },
): string {
  const rows = projects.map(({ name, key, places, memories, sessions, usedAt }) => [
    plainLine(name),
    plainLine(key),
    tabs ? plainLine(places.map(({ path }) => path).join(',')) : String(places.length),
    String(memories),
    String(sessions),
    tabs ? usedAt : formatShortAge(usedAt, now),
  ])
  if (tabs) return rows.map(row => row.join('\t')).join('\n')
  return formatTable(['PROJECT', 'KEY', 'FOLDERS', 'MEMORIES', 'SESSIONS', 'USED'], rows, colors)
}

/** Formats one project with its keys and folders, and with its changes, newest first. */
export function projectText(project: ShownProject, history: History, { colors, now }: ProjectView): string {
  const { name, key, keys, places, memories, sessions, createdAt, usedAt } = project
  const at = (iso: string) => `${iso} (${formatAge(iso, now)})`
  const fields = formatFields(
    [
      ['project', plainLine(name)],
      ['key', plainLine(key)],
      ...keys.filter(one => one !== key).map(one => ['also', plainLine(one)] as const),
      ...places.map(
        ({ path, fixed }) => ['folder', `${plainLine(path)}${fixed ? ' (assigned)' : ''}`] as const,
      ),
      ['memories', String(memories)],
      ['sessions', String(sessions)],
      ['since', at(createdAt)],
      ['last used', at(usedAt)],
    ],
    colors,
  )
  const changes = history.map(({ id, kind, text, at: when, undoneAt }) => {
    const canUndo = undoneAt === null && (kind === 'join' || kind === 'split')
    const fate = undoneAt === null ? '' : 'undone'
    return [colors.dim(id), formatAge(when, now), plainLine(text), canUndo ? '' : fate]
      .filter(Boolean)
      .join('  ')
  })
  if (changes.length === 0) return fields
  return `${fields}\n\n${colors.bold('changes')}\n${changes.join('\n')}\n${colors.dim('To undo a join or split: memory projects undo ID')}`
}

/** Describes what a join moves, one line per kind. */
export function joinLines({ from, into, keys, places, memories, sessions }: JoinPreview): string[] {
  return [
    `${nameAndKey(from)} becomes part of ${nameAndKey(into)}`,
    `  ${countOf(memories, 'memory', 'memories')}, ${countOf(sessions, 'session')}`,
    ...places.map(path => `  folder ${plainLine(path)}`),
    ...keys.filter(key => key !== from.key).map(key => `  key ${plainLine(key)}`),
  ]
}

/** Describes the joins of an adoption, and the names that need a decision. */
export function adoptionLines({ joins, unclear }: Reply<'POST /api/projects/adopt'>): string[] {
  return [
    ...joins.flatMap(joinLines),
    ...unclear.map(
      ({ project, candidates }) =>
        `${plainLine(project)} could be ${candidates.map(plainLine).join(' or ')}: memory projects join ${plainLine(project)} KEY`,
    ),
  ]
}

/** Returns a project's short name with its key, where these differ. */
export function nameAndKey({ name, key }: Pick<ShownProject, 'name' | 'key'>): string {
  return name === key ? plainLine(name) : `${plainLine(name)} (${plainLine(key)})`
}
