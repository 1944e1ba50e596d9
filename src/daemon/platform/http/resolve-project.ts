import { posix, win32 } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { noProject } from '../../../lib/workspace/working-folder.js'
import type { LookupOptions } from '../../ground/projects/projects.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../auth/loopback.js'
import type { Daemon } from '../daemon/daemon.js'

interface ProjectInput {
  caller: Caller
  query?: unknown
  body?: unknown
}

/**
 * Replaces what a request names as a project by the canonical key, and adds the project its caller works in
 * (docs/projects.md). A credential that is confined to a project adds no project.
 * @returns the caller, with the project that the header `x-service-project` names: a folder, key, name or remote,
 *   or `-` for a caller that works in none
 * @throws AppError `validation_failed` for a name that several projects have
 */
export async function resolveProject(
  { projects }: Pick<Daemon, 'projects'>,
  endpoint: Pick<EndpointShape, 'path' | 'keepsProject'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { caller, query, body }: ProjectInput,
  writes: boolean,
): Promise<Caller> {
  await projects.ready()
  const { scope } = caller.access
  const adds = scope.project === undefined && (writes || endpoint.path.startsWith('/api/hooks/'))
  const lookup = { isHere: isOnThisMachine(caller), adds }
  if (!endpoint.keepsProject)
    for (const part of [query, body] as ({ project?: unknown } | undefined)[])
      if (typeof part?.project === 'string') part.project = await projects.resolve(part.project, lookup)
  const place = decode(headers['x-service-project'])
  const here = place ? await placeOf(projects, place, lookup) : undefined
  if (scope.project === undefined) return here ? { ...caller, ...here } : caller
  const project = projects.canonical(scope.project)
  const confined = { ...scope, project, projectKeys: projects.keysOf(project) }
  return { ...caller, ...here, access: { ...caller.access, scope: confined } }
}

async function placeOf(
  projects: Daemon['projects'],
  place: string,
  lookup: LookupOptions,
): Promise<Pick<Caller, 'project' | 'head' | 'folder'>> {
  if (place === noProject) return { project: null }
  const isFolder = posix.isAbsolute(place) || win32.isAbsolute(place)
  if (!isFolder) return { project: await projects.resolve(place, lookup) }
  const { project, head } = await projects.locate(place, lookup)
  return { project, head, folder: place }
}

/** Names and folders may have characters that a header cannot have. */
function decode(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    return header
  }
}
