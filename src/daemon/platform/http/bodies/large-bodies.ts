import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../../../contract/ground/errors.js'
import { inSlices } from '../../../../lib/concurrency/every-few-ms.js'
import { createGate } from '../../../../lib/concurrency/gate.js'
import { checkShape } from './json-shape.js'
import { isForm } from './read-form.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for a body that takes longer than a turn of the event loop may take; null for all others. */
    largeBody: LargeBody | null
  }
}

export interface LargeBody {
  /** Could a string hold what JSON writes as `\u` only: NUL, or half of a surrogate pair? */
  hasEscapes: boolean
  /** Resolves when it is this body's turn to be worked on; call the result when the work is done. */
  work(): Promise<() => void>
  /** Call it when the body is no longer needed: its bytes no longer count against the limit. */
  leave(): void
}

/** Shorter bodies are parsed at once: that costs less than waiting for a turn. */
const largeBytes = 64 * 1024
/** Bytes of large bodies in memory at a time; further bodies wait unread. */
const maxHeldBytes = 96 * 1024 * 1024
/** Large bodies worked on at a time: each takes several times its size in memory. */
const maxWorkedOn = 2

/**
 * Parses JSON bodies as Fastify does, large ones in slices, a few at a time: several that arrive together would hold up
 * everybody else, and take all memory.
 */
export function parseLargeBodiesInTurns(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const held = createGate(maxHeldBytes)
  const worked = createGate(maxWorkedOn)
  app.decorateRequest('largeBody', null)

  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = bytesToCome(request)
    if (bytes < largeBytes || bytes > request.routeOptions.bodyLimit) {
      done(null, payload)
      return
    }
    void held.enter(bytes).then(leave => {
      request.largeBody = { hasEscapes: true, work: () => worked.enter(1), leave }
      reply.raw.once('close', leave)
      // A client that went away while it waited has closed already.
      if (reply.raw.destroyed) leave()
      done(null, payload)
    })
  })

  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (!isUtf8(request)) done(notUtf8())
    else if (body.length >= largeBytes)
      void prepare(request, body).then(text => parse(request, text, done), done)
    else {
      request.largeBody?.leave()
      request.largeBody = null
      // No body is for the endpoint to judge.
      if (body.length === 0) done(null, undefined)
      else parse(request, body.toString('utf8'), done)
    }
  })

  /** The text of a body that may be parsed in one go. @throws AppError `validation_failed` */
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

/**
 * Of a body that nobody measured, all that its route takes; nothing of streams and forms, which nobody keeps in memory,
 * and of a request from inside, whose bytes are held already.
 */
function bytesToCome({ headers, raw, routeOptions }: FastifyRequest): number {
  if (!(raw.socket instanceof Socket) || routeOptions.config?.endpoint?.stream || isForm(headers)) return 0
  if (headers['transfer-encoding'] !== undefined) return routeOptions.bodyLimit
  return Number(headers['content-length'] ?? 0)
}

/** JSON is UTF-8 (RFC 8259); read as that, a text in another encoding would be another text. */
export function isUtf8({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const type = headers['content-type'] ?? ''
  // Most name none.
  if (!type.includes(';')) return true
  const charsets = type.matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/giu)
  return [...charsets].every(([, charset = '']) => /^utf-?8$/iu.test(charset))
}

export function notUtf8(): AppError {
  return new AppError('unsupported_media_type', 'send the body in UTF-8')
}
