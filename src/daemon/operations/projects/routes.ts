import { basename, isAbsolute } from 'node:path'
import type { z } from 'zod'
import * as contract from '../../../contract/operations/projects.js'
import type { ProjectRow } from '../../../store/tables/platform/projects.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import { route } from '../../platform/http/bind.js'
import {
  changeProject,
  forgetProject,
  joinPreview,
  joinProjects,
  splitProject,
  undoProjectChange,
} from './change-projects.js'
import { listProjects, type ProjectDeps } from './list-projects.js'

export const routes = [
  route(contract.listProjects, (daemon, { caller, query }) => listProjects(daemon, caller, query)),
  route(contract.changeProject, (daemon, { caller, body }) => changeProject(daemon, caller, body)),
  route(contract.joinProjects, (daemon, { caller, body }) => joinProjects(daemon, caller, body)),
  route(contract.splitProject, (daemon, { caller, body }) => splitProject(daemon, caller, body)),
  route(contract.undoProjectChange, (daemon, { body }) => undoProjectChange(daemon, body.id)),
  route(contract.adoptProjects, (daemon, { caller, body }) => adoptProjects(daemon, caller, body)),
  route(contract.forgetProject, (daemon, { caller, body }) => forgetProject(daemon, caller, body)),
]

type AdoptReply = z.infer<typeof contract.adoptProjects.response>

/**
 * Joins projects that rows name by a path or a bare name with the repository they belong to, where only one
 * can be meant. Names that several repositories have are returned as unclear.
 */
async function adoptProjects(
  deps: ProjectDeps,
  caller: Caller,
  { dryRun }: { dryRun: boolean },
): Promise<AdoptReply> {
  const { projects, store } = deps
  await projects.ready()
  await locateFolders(deps, caller, dryRun)
  const joins: AdoptReply['joins'] = []
  const unclear: AdoptReply['unclear'] = []
  for (const row of projects.list().filter(({ key }) => projects.placesOf(key).length === 0)) {
    const candidates = candidatesFor(deps, row)
    const [into] = candidates
    if (candidates.length > 1)
      unclear.push({ project: row.key, candidates: candidates.map(({ key }) => key).sort() })
    if (candidates.length !== 1 || !into) continue
    const { dryRun: _same, ...join } = dryRun
      ? { ...joinPreview(deps, row, into, await store.tables.projects.counts()), dryRun }
      : await joinProjects(deps, caller, { from: row.key, into: into.key, dryRun })
    joins.push(join)
  }
  return { joins, unclear, dryRun }
}

/** Identifies projects that are folders of this machine, which joins them with their repository. */
async function locateFolders({ projects }: ProjectDeps, caller: Caller, dryRun: boolean): Promise<void> {
  if (!isOnThisMachine(caller)) return
  for (const { key } of projects.list())
    if (isAbsolute(key)) await projects.locate(key, { isHere: true, adds: !dryRun })
}

/** Projects with places that have the name of a project without any. */
function candidatesFor({ projects }: Pick<ProjectDeps, 'projects'>, row: ProjectRow): ProjectRow[] {
  return projects
    .list()
    .filter(({ key }) => key !== row.key)
    .filter(({ key, name }) => {
      const places = projects.placesOf(key)
      return (
        places.length > 0 && (name === row.name || places.some(({ path }) => basename(path) === row.name))
      )
    })
}
