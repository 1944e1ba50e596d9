import type { FastifyRequest } from 'fastify'
import { name } from '../../contract/fields.js'
import type { Caller } from '../caller.js'
import { parseInput } from './errors.js'
import { assertStorable } from './storable.js'

/** Who makes a request, from its headers; in local mode they are believed (spec 1, 4.4 and 5.2). */
export function callerOf(request: FastifyRequest): Caller {
  const sessionKey = header(request, 'x-service-session-key')
  const agentId = header(request, 'x-service-agent-id') ?? agentInKey(sessionKey)
  const actorType = header(request, 'x-service-actor-type') === 'agent' ? 'agent' : 'operator'
  return {
    actor: header(request, 'x-service-actor') ?? agentId ?? 'operator',
    actorType,
    agentId,
    sessionKey,
    requestId: request.id,
  }
}

function header(request: FastifyRequest, field: string): string | undefined {
  const value = request.headers[field]
  if (value === undefined || value === '') return undefined
  const text = Buffer.from(String(value), 'latin1').toString('utf8')
  assertStorable(text, field)
  return parseInput(name, text)
}

/** Session keys of the form `agent:<id>:...` name their agent. */
function agentInKey(key: string | undefined): string | undefined {
  return /^agent:([^:]+):/u.exec(key ?? '')?.[1]
}
