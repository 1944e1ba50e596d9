import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { atOnce, inSlices } from '../../../lib/every-few-ms.js'
import { assertNotFrozen } from '../../ground/settings/frozen.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../daemon/daemon.js'
import { admitParsed } from './admit.js'
import { callerOf } from './caller.js'
import { parseInput } from './errors.js'
import type { LargeBody } from './large-bodies.js'
import { lineBody } from './line-bodies.js'
import { assertStorable, checkStorable } from './storable.js'

type Parsed<E, K extends string> = E extends { [key in K]: infer S extends z.ZodType }
  ? z.infer<S>
  : undefined

export interface Input<E extends EndpointShape> {
  caller: Caller
  params: Parsed<E, 'params'>
  query: Parsed<E, 'query'>
  body: E extends { lines: object } ? Readable : Parsed<E, 'body'>
}

/**
 * What a route does; a reply with a `status` word is answered by the endpoint's table of outcomes. A stream holds the
 * text of a reply that is too large to be written at once.
 */
export type Handler<E extends EndpointShape> = (
  daemon: Daemon,
  input: Input<E>,
) => Promise<z.input<E['response']> | Readable>

/** An endpoint with the code that serves it. */
export interface Route {
  endpoint: EndpointShape
  handle: (daemon: Daemon, input: never) => Promise<unknown>
}

/** Gives the daemon, waiting while it starts. @throws AppError `starting` when that takes too long. */
export type WhenReady = () => Promise<Daemon>

export function route<const E extends EndpointShape>(endpoint: E, handle: Handler<E>): Route {
  return { endpoint, handle: handle as Route['handle'] }
}

/** Serves an endpoint, for requests that were let in: validation, kill switch, use case, outcome -> HTTP status. */
export function bind(app: FastifyInstance, whenReady: WhenReady, { endpoint, handle }: Route): void {
  for (const url of [endpoint.path, ...(endpoint.aliases ?? [])])
    app.route({
      method: endpoint.method,
      url,
      config: { endpoint },
      ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
      handler: (request, reply) =>
        request.largeBody
          ? serveLarge(request.largeBody, () => serve(request, reply))
          : serve(request, reply),
    })

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request)
    const parts = parseRequest(endpoint, request)
    const input = { caller, ...(parts instanceof Promise ? await parts : parts) }
    const daemon = await whenReady()
    admitParsed(daemon.auth, request, endpoint, input)
    if (writes(endpoint, input)) assertNotFrozen(daemon)
    return answer(endpoint, reply, await handle(daemon, input as never))
  }
}

/** A few at a time, and not in the turn that parsed the body, nor in the one that writes its answer. */
async function serveLarge<T>(body: LargeBody, serve: () => Promise<T>): Promise<T> {
  const end = await body.work()
  try {
    await nextTurn()
    const answer = await serve()
    await nextTurn()
    return answer
  } finally {
    end()
    body.leave()
  }
}

function parseRequest(endpoint: EndpointShape, request: FastifyRequest) {
  const part = (schema: z.ZodType | undefined, value: unknown, where: string) => {
    if (!schema) return undefined
    assertStorable(value, where)
    return parseInput(schema, value)
  }
  const params = part(endpoint.params, request.params, 'path')
  const query = part(endpoint.query, request.query, '')
  const lines = lineBody(endpoint, request)
  if (lines || !endpoint.body) return { params, query, body: lines }
  const steps = checkStorable(without(request.body, endpoint.exactText), '')
  if (request.largeBody) return parseLarge(request.largeBody, endpoint.body)
  atOnce(steps)
  return { params, query, body: parseInput(endpoint.body, request.body) }

  async function parseLarge({ hasEscapes }: LargeBody, schema: z.ZodType) {
    // What needs no escape in JSON is storable.
    if (hasEscapes) await inSlices(steps)
    await nextTurn()
    return { params, query, body: parseInput(schema, request.body) }
  }
}

function without(value: unknown, fields: readonly string[] | undefined): unknown {
  if (!fields) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))
}

function writes({ mutates }: EndpointShape, { body, query }: { body: unknown; query: unknown }): boolean {
  return typeof mutates === 'function' ? mutates(body as never, query as never) : mutates
}

function answer(endpoint: EndpointShape, reply: FastifyReply, body: unknown): unknown {
  const word = (body as { status?: unknown } | undefined)?.status
  const status = (typeof word === 'string' ? endpoint.outcomes?.[word] : undefined) ?? endpoint.success ?? 200
  reply.code(status)
  if (body instanceof Readable)
    return reply.type(endpoint.contentType ?? 'application/json; charset=utf-8').send(body)
  if (endpoint.contentType) return reply.type(endpoint.contentType).send(body)
  // The spec's body, and the two fields that every error has.
  if (status >= 400) return { ...(body as object), error: outcomeText(String(word)), code: word }
  return body
}

const outcomeTexts: Readonly<Record<string, string>> = {
  gone: 'this address is retired and changed nothing; the reply names what replaces it',
  scope_violation: 'the memory is outside the scope of this credential',
  not_found: 'there is no such memory',
  deleted: 'the memory is forgotten: recover it before changing it',
  episodic_content_immutable:
    'content and type of saved evidence never change: save a new memory that supersedes this one',
  already_superseded: 'another memory has replaced this one already',
  supersede_cycle: 'the memory that would replace this one was itself replaced by it',
  already_deleted: 'the memory is already forgotten; recover brings it back',
  not_deleted: 'the memory is not forgotten',
  version_conflict: 'the memory has changed since: read it again and send its version as if_version',
  pinned_requires_force: 'the memory is pinned: send force true to forget it all the same',
  autonomous_force_denied: 'only a person may force-forget a pinned memory',
  retention_expired: 'the memory was forgotten more than 30 days ago and can no longer be recovered',
  duplicate_content_hash: 'another memory holds the same content or idempotency key',
}

function outcomeText(word: string): string {
  return outcomeTexts[word] ?? word
}
