import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import { mcpActor } from '../../../contract/ground/wire-names.js'
import { homeIfKnown, isInside } from '../../../lib/files/folders.js'
import { quoted } from '../../../lib/text/clip.js'
import { decodedFolder } from '../../../lib/workspace/working-folder.js'
import type { CodeProjectRow } from '../../../store/tables/knowledge/code-ties.js'
import { liveSessionCutoff } from '../../ground/sessions/session-key.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { assertMayRead, mayRead } from '../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'environment' | 'configuration'>

/** The project named in a request, or the folder of its caller. */
export interface ProjectRequest {
  project?: string | undefined
  /** The folder of an MCP server, percent-encoded for the header. */
  cwd?: string | undefined
}

/** Live sessions searched for the caller's own. */
const mostSessions = 20

/**
 * Finds the project of a request and returns its folder without links. A folder below a known project belongs
 * to it.
 * @throws AppError `forbidden_project` for a folder that was neither named nor used by a session,
 * `validation_failed` if no project is named and none can be derived, `not_found` for a missing folder
 */
export async function findProject(deps: Deps, caller: Caller, asked: ProjectRequest): Promise<string> {
  const given = asked.project ?? decodedFolder(asked.cwd)
  const root =
    given === undefined || (asked.project === undefined && !(await isKnown(deps, caller, given)))
      ? await activeProject(deps, caller)
      : await knownProject(deps, caller, given)
  assertInScope(caller.access.scope, 'project', root)
  return root
}

/**
 * Returns the folder that a user names for indexing.
 * @throws AppError `forbidden_project` for callers that must not name one, `forbidden` for a folder that the
 * credential may not have read
 */
export async function nameProject(deps: Deps, caller: Caller, given: string): Promise<string> {
  if (!isOnThisMachine(caller) || caller.actor === mcpActor)
    throw new AppError(
      'forbidden_project',
      `only a user on this machine can name ${quoted(given)}: memory code index PATH`,
    )
  const root = await folderAt(deps, caller, given)
  assertInScope(caller.access.scope, 'project', root)
  await assertMayRead(deps, caller, root)
  return root
}

async function knownProject(deps: Deps, caller: Caller, given: string): Promise<string> {
  const folder = await folderAt(deps, caller, given)
  const root = await nearestKnown(deps, caller, folder)
  if (root !== undefined) return root
  if (isOnThisMachine(caller)) await assertMayRead(deps, caller, folder)
  throw forbidden(given)
}

/**
 * Prefers the nearest indexed or named project over one that only a session worked in. Sessions count for
 * local callers only, and below the folders given to their credential: a client reports its own folder, so it
 * could have any folder read.
 */
async function nearestKnown(deps: Deps, caller: Caller, folder: string): Promise<string | undefined> {
  const above = foldersUp(folder).filter(path => !isTooWide(deps, path))
  const { codeProjects } = deps.store.tables
  const known = (await codeProjects.among(above)).filter(isOpen).map(({ root }) => root)
  const nearest = (roots: readonly string[]) => above.find(path => roots.includes(path))
  const open = nearest(known)
  if (open !== undefined || !isOnThisMachine(caller)) return open
  const worked = await codeProjects.workedIn(above)
  const readable = await Promise.all(worked.map(root => mayRead(deps, caller, root)))
  return nearest(worked.filter((_, at) => readable[at]))
}

function isOpen({ named, indexed_at: indexedAt, job }: CodeProjectRow): boolean {
  return named === 1 || indexedAt !== null || job !== null
}

async function isKnown(deps: Deps, caller: Caller, given: string): Promise<boolean> {
  const folder = await realpath(given).catch(() => undefined)
  return folder !== undefined && (await nearestKnown(deps, caller, folder)) !== undefined
}

/** Returns the project of the caller's most recent session, preferring indexed ones. */
async function activeProject(deps: Deps, caller: Caller): Promise<string> {
  const { agentId } = caller
  const since = liveSessionCutoff(deps.clock())
  const sessions = await deps.store.tables.sessions.live({ agentId, project: undefined, since }, mostSessions)
  const folders = sessions.flatMap(({ cwd, project }) => [cwd, project].filter(path => path !== null))
  const roots = await Promise.all(
    folders.filter(isAbsolute).map(async path => {
      const folder = await realpath(path).catch(() => undefined)
      return folder === undefined ? undefined : nearestKnown(deps, caller, folder)
    }),
  )
  const found = [...new Set(roots)].filter(root => root !== undefined)
  const indexed = (await deps.store.tables.codeProjects.among(found)).filter(row => row.indexed_at !== null)
  const best = found.find(root => indexed.some(row => row.root === root)) ?? found[0]
  if (best !== undefined) return best
  throw new AppError('validation_failed', 'no session is active in a project: name one with `project`')
}

async function folderAt(deps: Deps, caller: Caller, given: string): Promise<string> {
  if (!isAbsolute(given))
    throw new AppError('validation_failed', `project is ${quoted(given)}: give the whole path of a folder`)
  const folder = await realpath(given).catch(() => undefined)
  const isFolder = folder !== undefined && (await stat(folder).catch(() => undefined))?.isDirectory()
  // Remote callers must not learn which folders exist.
  if (folder === undefined || !isFolder)
    throw isOnThisMachine(caller)
      ? new AppError('not_found', `folder ${quoted(given)} not found`)
      : forbidden(given)
  if (isTooWide(deps, folder))
    throw new AppError(
      'forbidden_project',
      `${quoted(given)} cannot be indexed: it is or contains a home folder or the workspace; name a project`,
    )
  return folder
}

/** True for the root of the disk, a home folder and its parents, and the workspace. */
function isTooWide({ paths, environment }: Pick<Daemon, 'paths' | 'environment'>, folder: string): boolean {
  const home = environment.HOME || homeIfKnown()
  return (
    folder === dirname(folder) ||
    [home, paths.root].some(kept => kept !== undefined && (folder === kept || isInside(folder, kept))) ||
    isInside(paths.root, folder)
  )
}

function foldersUp(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersUp(dirname(folder))]
}

function forbidden(given: string): AppError {
  return new AppError(
    'forbidden_project',
    `no session of this machine worked in ${quoted(given)} and nobody named it: memory code index PATH names it`,
  )
}
