import { isAbsolute, join, relative } from 'node:path'
import type { z } from 'zod'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type * as contract from '../../../contract/operations/projects.js'
import { isInside } from '../../../lib/files/folders.js'
import { quoted } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { shortNameOf } from '../../../lib/text/names.js'
import type { ProjectCounts, ProjectRow } from '../../../store/tables/platform/projects.js'
import { realFolder } from '../../ground/projects/identify.js'
import { type JoinDetails, joinWithin } from '../../ground/projects/projects.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { findProject, type ProjectDeps, toProject } from './list-projects.js'

type JoinReply = z.infer<typeof contract.joinProjects.response>
type ProjectReply = z.infer<typeof contract.changeProject.response>

/**
 * Makes two projects one: all keys and places of `from` belong to `into` afterwards. No row is rewritten, so
 * the change takes effect at once and can be undone.
 * @throws AppError `not_found`, `validation_failed` when both are the same project
 */
export async function joinProjects(
  deps: ProjectDeps,
  caller: Caller,
  body: z.infer<typeof contract.joinProjects.body>,
): Promise<JoinReply> {
  await deps.projects.ready()
  const [from, into] = [
    await findProject(deps, caller, body.from),
    await findProject(deps, caller, body.into),
  ]
  if (from.key === into.key)
    throw new AppError(
      'validation_failed',
      `${quoted(body.from)} and ${quoted(body.into)} are one project already`,
    )
  const preview = joinPreview(deps, from, into, await deps.store.tables.projects.counts())
  if (body.dryRun) return { ...preview, dryRun: true }
  const id = deps.newId()
  const now = deps.clock().toISOString()
  await deps.projects.change(tables =>
    joinWithin(tables, deps.projects, { id, from: from.key, into: into.key, by: caller.actor, now }),
  )
  return { ...preview, id, dryRun: false }
}

/** Describes what a join would move. */
export function joinPreview(
  { projects }: Pick<ProjectDeps, 'projects'>,
  from: ProjectRow,
  into: ProjectRow,
  counts: ReadonlyMap<string, ProjectCounts>,
): contract.ProjectJoin {
  const keys = projects.keysOf(from.key).sort()
  const sum = (field: keyof ProjectCounts) =>
    keys.reduce((total, key) => total + (counts.get(key)?.[field] ?? 0), 0)
  return {
    id: null,
    from: { key: from.key, name: from.name },
    into: { key: into.key, name: into.name },
    keys,
    places: projects.placesOf(from.key).map(({ path }) => path),
    memories: sum('memories'),
    sessions: sum('sessions'),
  }
}

/**
 * Makes one key or folder of a project a project of its own. A folder that was split off stays apart although
 * its repository says otherwise.
 * @throws AppError `not_found` for a part that the project does not have
 */
export async function splitProject(
  deps: ProjectDeps,
  caller: Caller,
  { project: given, part, name, dryRun }: z.infer<typeof contract.splitProject.body>,
): Promise<ProjectReply> {
  const { projects, clock, newId } = deps
  await projects.ready()
  const row = await findProject(deps, caller, given)
  const place = projects
    .placesOf(row.key)
    .find(({ path }) => path === part || path === part.replace(/[/\\]$/u, ''))
  const key = place?.path ?? projects.keysOf(row.key).find(one => one === part)
  if (key === undefined || key === row.key)
    throw new AppError(
      'not_found',
      `${quoted(part)} is not a folder or further key of ${row.name}: see memory projects show ${row.key}`,
    )
  const now = clock().toISOString()
  const added = { key, name: name ?? shortNameOf(key), created_at: now, used_at: now }
  if (!dryRun)
    await projects.change(async tables => {
      await tables.add(added)
      await tables.putKey(key, key)
      if (place) await tables.putPlace({ ...place, project: key, fixed: 1 })
      const details = JSON.stringify({ to: key, place: place ?? null })
      await tables.noteChange({
        id: newId(),
        kind: 'split',
        project: row.key,
        details,
        at: now,
        by: caller.actor,
        undone_at: null,
      })
    })
  return { project: toProject(deps, caller, added, await deps.store.tables.projects.counts()), dryRun }
}

/** Renames a project, or moves its folders below one path to another. @throws AppError `not_found` */
export async function changeProject(
  deps: ProjectDeps,
  caller: Caller,
  { project: given, name, move, dryRun }: z.infer<typeof contract.changeProject.body>,
): Promise<ProjectReply> {
  const { projects, clock, newId } = deps
  await projects.ready()
  if (move) return moveFolders(deps, caller, { ...move, dryRun })
  const row = await findProject(deps, caller, given ?? '')
  const wanted = name ?? row.name
  const renamed = { ...row, name: wanted }
  if (!dryRun)
    await projects.change(async tables => {
      await tables.rename(row.key, wanted)
      const details = JSON.stringify({ from: row.name, to: wanted })
      const at = clock().toISOString()
      await tables.noteChange({
        id: newId(),
        kind: 'rename',
        project: row.key,
        details,
        at,
        by: caller.actor,
        undone_at: null,
      })
    })
  return { project: toProject(deps, caller, renamed, await deps.store.tables.projects.counts()), dryRun }
}

async function moveFolders(
  deps: ProjectDeps,
  caller: Caller,
  { from, to, dryRun }: { from: string; to: string; dryRun: boolean },
): Promise<ProjectReply> {
  const { projects, clock, newId } = deps
  if (!isAbsolute(from) || !isAbsolute(to))
    throw new AppError('validation_failed', 'a folder is moved from one whole path to another')
  const target = (await realFolder(to)) ?? to
  const places = projects
    .list()
    .flatMap(({ key }) => projects.placesOf(key))
    .filter(({ path }) => path === from || isInside(path, from))
  const first = places.find(({ path }) => path === from) ?? places[0]
  const key = first?.project ?? (projects.row(from) ? projects.canonical(from) : undefined)
  const row = key === undefined ? undefined : projects.row(key)
  if (!row) throw new AppError('not_found', `no project has the folder ${quoted(from)}`)
  if (!dryRun)
    await projects.change(async tables => {
      const now = clock().toISOString()
      for (const place of places) {
        const path = join(target, relative(from, place.path))
        await tables.dropPlace(place.path)
        await tables.putPlace({ ...place, path, seen_at: now })
        // Rows of a folder without a repository have its path as their key.
        if (projects.canonical(place.path) === place.project) await tables.putKey(path, place.project)
      }
      if (places.length === 0) await tables.putKey(target, row.key)
      const details = JSON.stringify({ from, to: target })
      await tables.noteChange({
        id: newId(),
        kind: 'move',
        project: row.key,
        details,
        at: now,
        by: caller.actor,
        undone_at: null,
      })
    })
  return { project: toProject(deps, caller, row, await deps.store.tables.projects.counts()), dryRun }
}

/** Undoes a join or split. @throws AppError `not_found`, `conflict` when it was undone or cannot be */
export async function undoProjectChange(
  deps: ProjectDeps,
  id: string,
): Promise<z.infer<typeof contract.undoProjectChange.response>> {
  const { projects, store, clock } = deps
  await projects.ready()
  const change = await store.tables.projects.change(id)
  if (!change)
    throw notFound(
      `project change ${quoted(id)} does not exist`,
      'memory projects show PROJECT lists the changes of a project',
    )
  if (change.undone_at !== null) throw new AppError('conflict', 'this change was undone before')
  const now = clock().toISOString()
  const restored = await projects.change(async tables => {
    await tables.markUndone(id, now)
    if (change.kind === 'join') {
      const { from, keys, places } = JSON.parse(change.details) as JoinDetails
      await tables.add(from)
      for (const key of keys) await tables.putKey(key, from.key)
      // Fixed: the repository of the folder would join the projects again.
      for (const place of places) await tables.putPlace({ ...place, project: from.key, fixed: 1 })
      return from.key
    }
    if (change.kind === 'split') {
      const { to, place } = JSON.parse(change.details) as {
        to: string
        place: JoinDetails['places'][number] | null
      }
      await tables.putKey(to, change.project)
      if (place) await tables.putPlace({ ...place, project: change.project })
      await tables.drop(to)
      return change.project
    }
    throw new AppError('conflict', `a ${change.kind} is not undone; ${change.kind} it back`)
  })
  const row = projects.row(restored)
  if (!row) throw new AppError('conflict', 'the project of this change is gone')
  return { project: toProject(deps, ownCaller, row, await store.tables.projects.counts()) }
}

/** The undo names no folder of another machine, so it may show them. */
const ownCaller = { peer: undefined } as Caller

/** Removes a project without memories and sessions. @throws AppError `conflict` while it has some */
export async function forgetProject(
  deps: ProjectDeps,
  caller: Caller,
  { project: given, dryRun }: z.infer<typeof contract.forgetProject.body>,
): Promise<ProjectReply> {
  const { projects, store } = deps
  await projects.ready()
  const row = await findProject(deps, caller, given)
  const project = toProject(deps, caller, row, await store.tables.projects.counts())
  if (dryRun) return { project, dryRun }
  if (project.memories > 0)
    throw new AppError(
      'conflict',
      `${row.name} has ${countOf(project.memories, 'memory', 'memories')}: forget them first with memory forget --project ${quoted(row.key)} --until 0m`,
    )
  await projects.change(async tables => {
    for (const key of project.keys) await tables.dropKey(key)
    for (const { path } of projects.placesOf(row.key)) await tables.dropPlace(path)
    await tables.drop(row.key)
  })
  return { project, dryRun }
}
