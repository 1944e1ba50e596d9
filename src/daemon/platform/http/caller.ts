import type { FastifyRequest } from 'fastify'
import { name } from '../../../contract/ground/fields.js'
import { type Access, noAccess } from '../../ground/visibility/access.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { assertInScope } from '../../ground/visibility/scope.js'
import { peerOf } from '../auth/loopback.js'
import { assertStorable } from './bodies/storable.js'
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
