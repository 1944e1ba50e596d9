import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anyContentType, type EndpointShape } from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { createGate } from '../../../../lib/concurrency/gate.js'
import { quoted } from '../../../../lib/text/clip.js'
import { checkShape } from './json-shape.js'
import { isForm } from './read-form.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for a body that needs more than one event loop turn; null for all others. */
    largeBody: LargeBody | null
  }
}

export interface LargeBody {
  /** True when a string may contain characters written only as `\u`: NUL, or half of a surrogate pair. */
  hasEscapes: boolean
  /** Resolves when this body may be processed; call the result when the work is done. */
  work(): Promise<() => void>
  /** Call it when the body is no longer needed, so that its bytes stop counting against the limit. */
  leave(): void
}

/** Shorter bodies are parsed at once: that costs less than waiting for a turn. */
const largeBytes = 64 * 1024
/** Bytes of large bodies in memory at a time; further bodies wait unread. */
const maxHeldBytes = 96 * 1024 * 1024
/** Large bodies processed at a time: each takes several times its size in memory. */
const maxWorkedOn = 2

/** Passes bodies of any type to a scope's routes unread. */
export function passBodiesOn(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (_request: FastifyRequest, body: Readable) => body)
}

/**
 * @returns the body as a stream if the endpoint takes one. @throws AppError `unsupported_media_type` for any
 * other body
 */
export function streamBody({ stream }: EndpointShape, request: FastifyRequest): Readable | undefined {
  if (!stream) return undefined
  // A request without a body gets an empty stream.
  if (stream.contentType === anyContentType)
    return request.body instanceof Readable ? request.body : Readable.from([])
  if (!request.headers['content-type']?.startsWith(stream.contentType))
    throw new AppError('unsupported_media_type', `send the body as ${stream.contentType}`)
  if (!isUtf8(request)) throw notUtf8Error()
  return request.body as Readable
}

/**
 * Parses JSON bodies like Fastify, but large ones in slices and few at a time: several together would block
 * other requests and exhaust the memory.
 */
export function parseLargeBodiesInTurns(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const held = createGate(maxHeldBytes)
  const worked = createGate(maxWorkedOn)
  app.decorateRequest('largeBody', null)
  app.decorateRequest('leaveRoute', null)

  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesToCome(request)
    if (bytes < largeBytes || bytes > request.routeOptions.bodyLimit) {
      done(null, payload)
      return
    }
    void held.enter(bytes).then(leave => {
      request.largeBody = { hasEscapes: true, work: () => worked.enter(1), leave }
      reply.raw.once('close', leave)
      // A client that disconnected while waiting has already closed.
      if (reply.raw.destroyed) leave()
      done(null, payload)
    })
  })

  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(request)) done(notUtf8Error())
    else if (body.length >= largeBytes)
      void inFlight(request, done, async end => parse(request, await prepare(request, body), end))
    else {
      request.largeBody?.leave()
      request.largeBody = null
      // The endpoint decides whether a missing body is allowed.
      if (body.length === 0) done(null, undefined)
      else parse(request, body.toString('utf8'), done)
    }
  })

  /** Decodes a body once its shape is safe to parse. @throws AppError `validation_failed` */
  async function prepare(request: FastifyRequest, body: Buffer): Promise<string> {
    const end = await worked.enter(1)
    try {
      await inSlices(checkShape(body))
      const { leave = () => undefined } = request.largeBody ?? {}
      request.largeBody = { hasEscapes: body.includes('\\u'), work: () => worked.enter(1), leave }
      await nextTurn()
      return body.toString('utf8')
    } finally {
      end()
    }
  }
}

type Parsed = (error: Error | null, body?: unknown) => void

/** Counts a request as in flight while its body waits to be parsed; a refused one ends its place. */
async function inFlight(
  request: FastifyRequest,
  done: Parsed,
  work: (end: Parsed) => Promise<void>,
): Promise<void> {
  const end: Parsed = (error, body) => {
    if (error) request.leaveRoute?.()
    done(error, body)
  }
  try {
    request.routeOptions.config.enterRoute?.(request)
    await work(end)
  } catch (error) {
    end(error as Error)
  }
}

/**
 * A body without a length counts as the route's limit. Streams and forms are not kept in memory, and the
 * bytes of an internal request are already there, so both count as 0.
 */
function bytesToCome({ headers, raw, routeOptions }: FastifyRequest): number {
  if (!(raw.socket instanceof Socket) || routeOptions.config?.endpoint?.stream || isForm(headers)) return 0
  if (headers['transfer-encoding'] !== undefined) return routeOptions.bodyLimit
  return Number(headers['content-length'] ?? 0)
}

/** JSON must be UTF-8 (RFC 8259); decoding another encoding as UTF-8 would change the text. */
function isUtf8({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const type = headers['content-type'] ?? ''
  // Most requests name no charset.
  if (!type.includes(';')) return true
  const charsets = type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/giu)
  return [...charsets].every(([, charset = '']) => /^utf-?8$/iu.test(charset))
}

function notUtf8Error(): AppError {
  return new AppError('unsupported_media_type', 'send the body in UTF-8')
}

/**
 * Rejects compressed bodies: nothing decompresses them, so JSON would look malformed, and uploads would be
 * stored compressed.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers
    done(encoding === '' || encoding.toLowerCase() === 'identity' ? null : encoded(encoding), payload)
  })
}

function encoded(encoding: string): AppError {
  return new AppError(
    'unsupported_media_type',
    `Content-Encoding ${quoted(encoding)} is not supported; send the body uncompressed`,
    undefined,
    { headers: { 'accept-encoding': 'identity' } },
  )
}
