import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  type EndpointShape,
  eventStream,
  type FormShape,
  type Outcome,
} from '../../../contract/ground/endpoint.js'
import type { PluginUse } from '../../../contract/ground/plugin-capabilities.js'
import { mcpActor } from '../../../contract/ground/wire-names.js'
import { inSlices, runToEnd } from '../../../lib/concurrency/every-few-ms.js'
import { assertNotFrozen } from '../../ground/settings/pipeline-mode.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../daemon/daemon.js'
import { throwNamingOthers } from '../nodes/held-work.js'
import { createAdmission, endWithAdmission, enterOrRefuse, routeLimit } from './admission.js'
import { admitParsed, isStillAdmitted } from './admit.js'
import { assertStorable, checkStorable } from './bodies/json-shape.js'
import { type LargeBody, streamBody } from './bodies/large-bodies.js'
import { isForm, readForm, type UploadedFile } from './bodies/read-form.js'
import { resolveShortIds } from './bodies/short-ids.js'
import { callerOf, resolveProject, writes } from './caller.js'
import { parseInput } from './errors.js'

type Parsed<E, K extends string> = E extends { [key in K]: infer S extends z.ZodType }
  ? z.infer<S>
  : undefined

export interface Input<E extends EndpointShape> {
  caller: Caller
  params: Parsed<E, 'params'>
  query: Parsed<E, 'query'>
  headers: Parsed<E, 'headers'>
  body: E extends { stream: object } ? Readable : Parsed<E, 'body'>
  /** Uploaded files of a form, available until the request is answered; otherwise empty. */
  files: readonly UploadedFile[]
  /** A signal that aborts when the client disconnects before the answer. */
  untilGone(): AbortSignal
}

/**
 * A route's handler. The endpoint's outcome table answers a reply with a `status` word. A stream carries a
 * reply too large for one write.
 */
export type Handler<E extends EndpointShape> = (
  daemon: Daemon,
  input: Input<E>,
) => Promise<z.input<E['response']> | Readable>

type AnyHandler = (daemon: Daemon, input: never) => Promise<unknown>

/** An endpoint with its handler. */
export interface Route {
  endpoint: EndpointShape
  /** Returns the handler; late routes import it first. */
  handler(): AnyHandler | Promise<AnyHandler>
}

/** Returns the daemon, waiting while it starts. @throws AppError `starting` when that takes too long */
export type WhenReady = () => Promise<Daemon>

/** Forms received at the same time per route. */
const maxForms = 4

export function route<const E extends EndpointShape>(endpoint: E, handle: Handler<E>): Route {
  return { endpoint, handler: () => handle as AnyHandler }
}

/** Serves an endpoint for admitted requests: validation, kill switch, use case, outcome -> HTTP status. */
export function bind(app: FastifyInstance, whenReady: WhenReady, { endpoint, handler }: Route): void {
  const forms = createAdmission(maxForms)
  const options = optionsOf(endpoint)
  for (const url of [endpoint.path, ...(endpoint.aliases ?? [])])
    app.route({
      method: endpoint.method,
      url,
      ...options,
      handler: (request, reply) =>
        counted(request, async () => {
          if (request.largeBody) return serveLarge(request.largeBody, () => serve(request, reply))
          if (endpoint.form && isForm(request.headers)) return serveForm(request, reply, endpoint.form)
          return serve(request, reply)
        }),
    })

  /** Files must be received before the form can be validated; they are deleted after the answer. */
  async function serveForm(request: FastifyRequest, reply: FastifyReply, shape: FormShape): Promise<unknown> {
    const leave = enterOrRefuse(forms, 'uploads')
    try {
      const daemon = await whenReady()
      if (endpoint.mutates === true) assertNotFrozen(daemon)
      const form = await readForm(daemon, request, shape)
      request.body = form.fields
      return await serve(request, reply, form.files).finally(form.close)
    } finally {
      leave()
    }
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    files: readonly UploadedFile[] = [],
  ): Promise<unknown> {
    const caller = callerOf(request)
    if (endpoint.plugin) assertPluginAllows(await whenReady(), endpoint, request)
    const parts = parseRequest(endpoint, request)
    const { params, query, headers, body: asked } = parts instanceof Promise ? await parts : parts
    const input = { caller, files, untilGone: untilGone(reply), params, query, headers, body: asked }
    const daemon = await whenReady()
    admitParsed(daemon, request, endpoint, input)
    request.isTrial = endpoint.isTrial?.(input as never) ?? false
    if (writes(endpoint, input)) assertNotFrozen(daemon)
    input.caller = await resolveProject(daemon, endpoint, request, input)
    if (endpoint.memoryIds || endpoint.shortIds) await resolveShortIds(daemon, endpoint, input)
    const leave = endpoint.path.startsWith('/api/hooks/') ? daemon.hooksInFlight.enter() : undefined
    const served = endpoint.stream ? undefined : daemon.requestsInFlight.enter()
    const body = await call({ endpoint, handler }, daemon, input as never).finally(() => {
      leave?.()
      served?.()
    })
    if (endpoint.contentType === eventStream && body instanceof Readable)
      endWithAdmission(body, {
        isAdmitted: () => isStillAdmitted({ auth: daemon.auth, clock: daemon.clock, whenReady }, request),
        log: daemon.log,
      })
    return answer(endpoint, endpoint.contentTypeFor?.(input as never) ?? endpoint.contentType, reply, body)
  }
}

/** Options of a route; those with aliases share one limit. */
function optionsOf(endpoint: EndpointShape) {
  const { maxBodyBytes: bodyLimit, maxInFlight } = endpoint
  const config = { endpoint, ...(maxInFlight && { enterRoute: routeLimit(maxInFlight) }) }
  return { config, ...(bodyLimit !== undefined && { bodyLimit }) }
}

/** Calls a handler, which late routes import first. */
async function call({ endpoint, handler }: Route, daemon: Daemon, input: never): Promise<unknown> {
  try {
    return await (await handler())(daemon, input)
  } catch (error) {
    return throwNamingOthers(daemon, error, endpoint.perDaemon ?? [])
  }
}

/** Serves a request as one of those of its route in flight. @throws AppError `overloaded` */
async function counted<T>(request: FastifyRequest, serve: () => Promise<T>): Promise<T> {
  request.routeOptions.config.enterRoute?.(request)
  try {
    return await serve()
  } finally {
    request.leaveRoute?.()
  }
}

/**
 * Serves few large bodies at a time. Parsing, the work and the reply each run in their own event loop turn.
 */
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

/** @returns a function whose signal aborts when the client disconnects */
function untilGone({ raw }: FastifyReply): () => AbortSignal {
  return () => {
    const left = new AbortController()
    raw.once('close', () => {
      if (!raw.writableFinished) left.abort()
    })
    return left.signal
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
  const headers = part(endpoint.headers, request.headers, 'headers')
  const stream = streamBody(endpoint, request)
  if (stream || !endpoint.body) return { params, query, headers, body: stream }
  const steps = checkStorable(without(request.body, endpoint.exactText), '')
  if (request.largeBody) return parseLarge(request.largeBody, endpoint.body)
  runToEnd(steps)
  return { params, query, headers, body: parseInput(endpoint.body, request.body) }

  async function parseLarge({ hasEscapes }: LargeBody, schema: z.ZodType) {
    // Text without JSON escapes cannot contain characters SQLite rejects, so the check is skipped.
    if (hasEscapes) await inSlices(steps)
    await nextTurn()
    return { params, query, headers, body: parseInput(schema, request.body) }
  }
}

function without(value: unknown, fields: readonly string[] | undefined): unknown {
  if (!fields) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)))
}

function answer(
  endpoint: EndpointShape,
  contentType: string | undefined,
  reply: FastifyReply,
  body: unknown,
): unknown {
  const [status, sentence] = outcomeOf(endpoint, body)
  reply.code(status)
  // Proxies must not cache the stream, and the connection stays open.
  if (contentType === eventStream) reply.headers({ 'cache-control': 'no-cache', connection: 'keep-alive' })
  if (body instanceof Readable) return reply.type(contentType ?? 'application/json; charset=utf-8').send(body)
  if (contentType) return reply.type(contentType).send(body)
  // The outcome's body plus the two fields of every error.
  if (status >= 400) return { ...(body as object), error: sentence, code: (body as WithStatus).status }
  if (endpoint.replyHeaders) reply.headers(endpoint.replyHeaders(body as never))
  return body
}

interface WithStatus {
  status: string
}

/** @throws Error for an unknown status word: a forgotten refusal must not pass as a success */
function outcomeOf(endpoint: EndpointShape, body: unknown): Outcome {
  const { method, path, outcomes, success = 200, successFor } = endpoint
  if (!outcomes) return [successFor?.(body as never) ?? success, '']
  const { status: word } = body as WithStatus
  const outcome = Object.hasOwn(outcomes, word) ? outcomes[word] : undefined
  if (!outcome) throw new Error(`${method} ${path} has no outcome ${JSON.stringify(word)}`)
  return outcome
}

/**
 * Rejects a route of a disabled plugin, or of one without the needed capability, before any other check
 * (plugins.md 1). An MCP tool also needs the capability for tools.
 * @throws AppError `plugin_capability_denied`
 */
function assertPluginAllows(
  { plugins }: Pick<Daemon, 'plugins'>,
  { plugin, method, path }: EndpointShape,
  request: FastifyRequest,
): void {
  if (!plugin) return
  const asking = { actor: callerOf(request).actor, route: `${method} ${path}` }
  plugins.assertAllowed(plugin, asking)
  if (request.headers['x-service-actor'] === mcpActor)
    plugins.assertAllowed({ id: plugin.id, capability: 'mcp:tools' } satisfies PluginUse, asking)
}
