import { posix, win32 } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { name } from '../../../contract/ground/fields.js'
import { decoded } from '../../../lib/network/decoded.js'
import { noProject } from '../../../lib/workspace/working-folder.js'
import type { LookupOptions } from '../../ground/projects/projects.js'
import { assertInScope } from '../../ground/visibility/boundary.js'
import { type Access, type Caller, noAccess } from '../../ground/visibility/caller.js'
import { isOnThisMachine, peerOf } from '../auth/loopback.js'
import type { Daemon } from '../daemon/daemon.js'
import { assertStorable } from './bodies/json-shape.js'
import { parseInput } from './errors.js'

/**
 * Determines the caller of a request (rules.md 4.4 and security.md 5.2). Its headers count only as far as its
 * credential allows.
 * @throws AppError `scope_violation` when it names another agent than its credential is bound to
 */
export function callerOf(request: FastifyRequest): Caller {
  const access = request.access ?? noAccess
  const sessionKey = header(request, 'x-service-session-key')
  const named = header(request, 'x-service-agent-id') ?? agentInKey(sessionKey)
  assertInScope(access.scope, 'agent', named)
  const agentId = named ?? access.agent
  return {
    actor: actorOf(request, access, agentId),
    actorType: actorTypeOf(request, access),
    agentId,
    sessionKey,
    harness: header(request, 'x-service-harness'),
    runtimePath: header(request, 'x-service-runtime-path'),
    surface: header(request, 'x-service-surface') === 'dashboard' ? 'dashboard' : undefined,
    internal: header(request, 'x-service-no-hooks') === '1',
    requestId: request.id,
    ...peerOf(request),
    access,
  }
}

/** A credential has its own name; without one the request names its actor. */
function actorOf(request: FastifyRequest, access: Access, agentId: string | undefined): string {
  if (access.credential !== 'none') return access.actor
  return header(request, 'x-service-actor') ?? agentId ?? 'operator'
}

/**
 * The header can only lower the rights: an agent's credential never acts as a person, and a caller that names
 * itself anything but an operator acts as an agent (rules.md 4.7 and security.md 5.2).
 */
function actorTypeOf(request: FastifyRequest, { role }: Access): Caller['actorType'] {
  const hint = header(request, 'x-service-actor-type') ?? 'operator'
  if (hint === 'pipeline') return 'pipeline'
  return hint !== 'operator' || role === 'agent' || role === 'readonly' ? 'agent' : 'operator'
}

function header(request: FastifyRequest, field: string): string | undefined {
  const value = request.headers[field]
  if (value === undefined || value === '') return undefined
  const text = Buffer.from(String(value), 'latin1').toString('utf8')
  assertStorable(text, field)
  return parseInput(name, text, field)
}

/** Session keys of the form `agent:<id>:...` name their agent. */
function agentInKey(key: string | undefined): string | undefined {
  return /^(?:session:)?agent:([^:]+):/u.exec(key ?? '')?.[1]
}

interface ProjectInput {
  caller: Caller
  query?: unknown
  body?: unknown
}

/**
 * Replaces what a request names as a project by the canonical key, and adds the project its caller works in
 * (docs/projects.md). A credential that is confined to a project adds no project.
 * @returns the caller, with the project from the header `x-service-project`: a folder, key, name or remote,
 * or `-` for a caller that works in none
 * @throws AppError `validation_failed` for a name that several projects have
 */
export async function resolveProject(
  { projects }: Pick<Daemon, 'projects'>,
  endpoint: EndpointShape,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { caller, query, body }: ProjectInput,
): Promise<Caller> {
  await projects.ready()
  const { scope } = caller.access
  // A mistyped name that is only read with must not become a project.
  const adds =
    scope.project === undefined &&
    (writes(endpoint, { body, query }) || endpoint.path.startsWith('/api/hooks/'))
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

/** Returns true if a request of an endpoint changes something. */
export function writes(
  { mutates }: EndpointShape,
  { body, query }: { body: unknown; query: unknown },
): boolean {
  return typeof mutates === 'function' ? mutates(body as never, query as never) : mutates
}

async function placeOf(
  projects: Daemon['projects'],
  place: string,
  lookup: LookupOptions,
): Promise<Pick<Caller, 'project' | 'repository' | 'folder'>> {
  if (place === noProject) return { project: null }
  const isFolder = posix.isAbsolute(place) || win32.isAbsolute(place)
  if (!isFolder) return { project: await projects.resolve(place, lookup) }
  const location = await projects.locate(place, lookup)
  return { project: location.project, repository: location.repository, folder: place }
}

/** Names and folders may have characters that a header cannot have. */
function decode(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? (decoded(header) ?? header) : undefined
}
