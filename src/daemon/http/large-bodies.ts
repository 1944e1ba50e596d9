import type { FastifyInstance } from 'fastify'

/** Shorter bodies cost less to parse than to wait for. */
const largeLength = 256 * 1024

/**
 * Parses JSON bodies as Fastify does, large ones one in a turn of the event loop: several that arrive together would
 * hold up everybody else.
 */
export function parseLargeBodiesInTurns(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const waiting: (() => void)[] = []
  const next = (): void => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // No body is for the endpoint to judge.
    if (body === '') {
      done(null, undefined)
      return
    }
    if (body.length < largeLength) {
      parse(request, body, done)
      return
    }
    waiting.push(() => parse(request, body, done))
    if (waiting.length === 1) setImmediate(next)
  })
}
