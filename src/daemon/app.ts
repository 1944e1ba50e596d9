import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { v7 as uuidv7 } from 'uuid'
import { endpoints } from '../contract/api.js'
import type { EndpointShape } from '../contract/endpoint.js'
import { AppError } from '../contract/errors.js'
import type { Daemon } from './daemon.js'
import { bind, type Route, type WhenReady } from './http/bind.js'
import { answerError } from './http/errors.js'
import { guardBrowser } from './http/guard.js'
import { registerMcp } from './mcp/register-mcp.js'
import { readiness } from './system/readiness.js'

const maxBodyBytes = 10 * 1024 * 1024

export interface AppOptions {
  log: Logger
  boundHost: string
  routes: readonly Route[]
  whenReady: WhenReady
  /** The daemon, once it is up. */
  daemon: () => Daemon | undefined
  /** Answers `GET /health` while everything else still starts. */
  health: () => object
  /** Hears of every request: the daemon is in use. */
  onRequest: () => void
}

/** The HTTP application, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { log, boundHost, routes, whenReady, daemon, health, onRequest } = options
  const app: FastifyInstance = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    genReqId: () => uuidv7(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 4096 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  })
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // A DELETE may say JSON and send nothing.
    if (text === '') done(null, undefined)
    else void app.getDefaultJsonParser('error', 'error')(request, text as string, done)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    reply.header('cache-control', 'no-store')
    guardBrowser(request, boundHost)
    onRequest()
  })
  app.addHook('onResponse', async (request, reply) => {
    // The route, never the URL: a query string may hold what nobody wants in a log.
    request.log.debug(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(request => {
    throw unknownRoute(request.method, request.url.split('?')[0] ?? '')
  })
  app.get('/health', async () => health())
  app.get('/health/ready', async (_request, reply) => {
    const report = await readiness(daemon())
    return reply.code(report.ready ? 200 : 503).send(report)
  })
  for (const route of routes) bind(app, whenReady, route)
  registerMcp(app)
  return app
}

const addresses = (endpoints as readonly EndpointShape[]).flatMap(({ method, path, aliases = [] }) =>
  [path, ...aliases].map(address => ({
    method,
    address,
    pattern: new RegExp(`^${address.replace(/:\w+/gu, '[^/]+')}$`, 'u'),
  })),
)

function unknownRoute(method: string, path: string): AppError {
  const matching = addresses.filter(({ pattern }) => pattern.test(path))
  const exact = matching.filter(({ address }) => address === path)
  const allowed = [...new Set((exact.length > 0 ? exact : matching).map(known => known.method))]
  if (allowed.length === 0)
    return new AppError('not_found', `there is no ${method} ${path.slice(0, 200)}; see /docs`)
  const message = `${path} answers ${allowed.join(', ')}, not ${method}`
  return new AppError('method_not_allowed', message, undefined, { headers: { allow: allowed.join(', ') } })
}

/** A request that is not HTTP enough to reach a route still gets JSON. */
function answerClientError(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, code, text] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [
          '431 Request Header Fields Too Large',
          'headers_too_large',
          'the address and headers are larger than 16 KiB',
        ]
      : ['400 Bad Request', 'validation_failed', 'the request is not valid HTTP']
  const body = JSON.stringify({ error: text, code })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
