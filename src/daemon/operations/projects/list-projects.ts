import type { z } from 'zod'
import { notFound } from '../../../contract/ground/errors.js'
import type { listProjects as listEndpoint, Project } from '../../../contract/operations/projects.js'
import { quoted } from '../../../lib/text/clip.js'
import type { ProjectChangeRow, ProjectCounts, ProjectRow } from '../../../store/tables/platform/projects.js'
import type { JoinDetails } from '../../ground/projects/projects.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type ProjectDeps = Pick<Daemon, 'store' | 'projects' | 'clock' | 'newId'>

const maxHistory = 100

/**
 * Lists projects, last used first. A credential that is confined to a project sees that one only; folders are
 * shown to callers on this machine only.
 * @throws AppError `not_found` for a project that does not exist
 */
export async function listProjects(
  deps: ProjectDeps,
  caller: Caller,
  { project: given, history }: z.infer<typeof listEndpoint.query>,
): Promise<z.infer<typeof listEndpoint.response>> {
  const { projects, store } = deps
  await projects.ready()
  const { scope } = caller.access
  const one = given === undefined ? undefined : await findProject(deps, caller, given)
  const rows = (one ? [one] : projects.list())
    .filter(({ key }) => scope.project === undefined || key === scope.project)
    .sort((a, b) => (a.used_at < b.used_at ? 1 : a.used_at > b.used_at ? -1 : a.key < b.key ? -1 : 1))
  const counts = await store.tables.projects.counts()
  const changes = one && history ? await store.tables.projects.changesOf(one.key, maxHistory) : undefined
  return {
    projects: rows.map(row => toProject(deps, caller, row, counts)),
    count: rows.length,
    ...(changes && { history: changes.map(toChange) }),
  }
}

/**
 * Finds a project by what a person gave for it.
 * @throws AppError `not_found`, or `validation_failed` for a name that several projects have
 */
export async function findProject(
  { projects }: Pick<Daemon, 'projects'>,
  caller: Caller,
  given: string,
): Promise<ProjectRow> {
  const key = await projects.resolve(given, { isHere: isOnThisMachine(caller), adds: false })
  const row = projects.row(key)
  if (row) return row
  throw notFound(`project ${quoted(given)} does not exist`, 'list projects with memory projects')
}

/** Builds the API record of a project. */
export function toProject(
  { projects }: Pick<Daemon, 'projects'>,
  caller: Caller,
  { key, name, created_at, used_at }: ProjectRow,
  counts: ReadonlyMap<string, ProjectCounts>,
): Project {
  const keys = projects.keysOf(key).sort()
  const sum = (field: keyof ProjectCounts) =>
    keys.reduce((total, one) => total + (counts.get(one)?.[field] ?? 0), 0)
  return {
    key,
    name,
    keys,
    places: isOnThisMachine(caller)
      ? projects
          .placesOf(key)
          .map(({ path, fixed, seen_at }) => ({ path, fixed: fixed === 1, seenAt: seen_at }))
      : [],
    memories: sum('memories'),
    sessions: sum('sessions'),
    createdAt: created_at,
    usedAt: used_at,
  }
}

function toChange({ id, kind, details, at, by, undone_at }: ProjectChangeRow) {
  return { id, kind: kind as 'join', text: describe(kind, JSON.parse(details)), at, by, undoneAt: undone_at }
}

function describe(
  kind: string,
  details: Partial<JoinDetails> & { name?: string; from?: unknown; to?: string },
): string {
  if (kind === 'join')
    return `joined ${(details as JoinDetails).from.name} (${(details as JoinDetails).keys.join(', ')})`
  if (kind === 'split') return `split off ${details.to ?? ''}`
  if (kind === 'move') return `moved ${String(details.from)} to ${details.to ?? ''}`
  return `renamed from ${String(details.from)} to ${details.to ?? ''}`
}
