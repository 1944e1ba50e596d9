import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { endpoints } from '../../contract/api.js'
import type { EndpointShape } from '../../contract/ground/endpoint.js'
import { AppError } from '../../contract/ground/errors.js'
import * as system from '../../contract/operations/system.js'
import { timeOrderedIds } from '../../lib/time/time-ordered-ids.js'
import type { Room } from '../ground/storage/room.js'
import { lastHealth } from '../operations/diagnostics/health.js'
import { readiness } from '../operations/system/readiness.js'
import { proveIdentity, refuseOthers, type WorkspaceIdentity } from '../platform/auth/addressee.js'
import type { Auth } from '../platform/auth/auth.js'
import { isOnThisMachine, peerOf } from '../platform/auth/loopback.js'
import type { RequestCounts } from '../platform/counts/request-counts.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import { admit } from '../platform/http/admit.js'
import type { Route, WhenReady } from '../platform/http/bind.js'
import { bindAll } from '../platform/http/bind-all.js'
import { parseLargeBodiesInTurns, refuseEncodedBodies } from '../platform/http/bodies/large-bodies.js'
import { boundArrivals, boundConnections } from '../platform/http/connections.js'
import { answerError } from '../platform/http/errors.js'
import { guardBrowser } from '../platform/http/guard.js'
import {
  answerHead,
  findHeadByGet,
  nameHead,
  readOwnWrites,
  sendLargeRepliesInTurns,
} from '../platform/http/replies.js'
import { registerWebPage } from '../platform/http/web-page.js'
import { withoutJsonSchema } from '../platform/http/without-json-schema.js'
import { registerMcp } from '../platform/mcp/register-mcp.js'

const maxBodyBytes = 10 * 1024 * 1024
/** Clients that send their headers more slowly are cut off. */
const headersTimeoutMs = 10_000
/** How long a cut-off client may take to read the error before its connection is closed. */
const lingerMs = 500

/** Headers of every reply except the web page: replies contain no scripts and may not be framed. */
const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export interface AppOptions {
  log: Logger
  requestCounts: RequestCounts
  boundHost: string
  auth: Auth
  clock: () => Date
  routes: readonly Route[]
  whenReady: WhenReady
  mcpRequests: Daemon['mcpRequests']
  /** The daemon, once it is ready. */
  daemon: () => Daemon | undefined
  /** True once it is asked to stop. */
  isStopping: () => boolean
  room: Pick<Room, 'look' | 'note'>
  /** Answers `GET /health` during the start, too; only the owner sees the folder of the workspace. */
  health: (showsFolder: boolean) => object
  /** Identifies the workspace to its own clients. */
  identity: WorkspaceIdentity
  /**
   * Counts open requests for the idle timer. Call the result when the request ends; repeated calls do
   * nothing.
   */
  onRequest: () => () => void
  /** Adds routes that bypass `bind`: hooks in the coding agents' own formats. */
  register: readonly ((app: FastifyInstance, whenReady: WhenReady) => void)[]
}

/** Creates the HTTP application, not listening yet. */
export function createApp(options: AppOptions): FastifyInstance {
  const { log, requestCounts, boundHost, auth, clock, routes, whenReady } = options
  const { mcpRequests, daemon, room, identity, onRequest, register } = options
  const app: FastifyInstance = fastify({
    ...loggerOf(log),
    // A logger per request took a hundredth of a save's time; log lines name their request instead.
    childLoggerFactory: logger => logger,
    bodyLimit: maxBodyBytes,
    requestTimeout: 0,
    http: { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 2000 },
    genReqId: timeOrderedIds(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // Its answer has neither a code nor a time to try again.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    exposeHeadRoutes: false,
    rewriteUrl: findHeadByGet,
    schemaController: { compilersFactory: withoutJsonSchema },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
  })
  boundConnections(app.server)
  const arrivals = boundArrivals(app.server)
  app.decorateRequest('access', null)
  takeBodies(app)
  answerHead(app)
  const assertOpen = untilClosing(app)
  app.addHook('onRequest', async (request, reply) => {
    nameHead(request.raw)
    reply.header('x-request-id', request.id)
    reply.headers(securityHeaders)
    assertOpen()
    guardBrowser(request, { boundHost, mode: auth.mode(), publicUrl: auth.settings().publicUrl })
    refuseOthers(request, identity)
    const ended = onRequest()
    // A disconnected client never finishes, and an internal request never closes.
    reply.raw.once('finish', ended).once('close', ended)
    await admit({ auth, clock, whenReady }, request)
    if (request.routeOptions.config.endpoint?.stream) arrivals.mayTakeLong(request.raw)
  })
  readOwnWrites(app, daemon)
  countAnswers(app, requestCounts, clock)
  app.addHook('onError', async (_request, _reply, error) => void room.note(error))
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(({ method, url }) => {
    throw unknownRoute(method, url.split('?')[0] ?? '')
  })
  answerHealth(app, options)
  bindAll(app, whenReady, routes)
  registerWebPage(app)
  registerMcp(app, daemon, mcpRequests)
  for (const add of register) add(app, whenReady)
  return app
}

function answerHealth(
  app: FastifyInstance,
  { auth, daemon, health, identity, isStopping, room }: AppOptions,
): void {
  app.get('/health', { config: { endpoint: system.health } }, async (request, reply) => {
    proveIdentity(request, reply, identity)
    const isOwner = await isOwnerHere(auth, request)
    return { ...health(isOwner), health: isOwner ? lastHealth(daemon()) : undefined }
  })
  app.get('/health/ready', { config: { endpoint: system.ready } }, async (_, reply) => {
    const report = await readiness(daemon(), await room.look(), isStopping())
    return reply.code(report.ready ? 200 : 503).send(report)
  })
}

/** @returns a check, which throws `starting` for requests on connections that are open during the stop */
function untilClosing(app: FastifyInstance): () => void {
  const life = { isClosing: false }
  app.addHook('preClose', async () => {
    life.isClosing = true
  })
  return () => {
    if (life.isClosing) throw new AppError('starting', 'the daemon is stopping; try again shortly')
  }
}

function loggerOf(log: Logger) {
  const logController = new LogController({ disableRequestLogging: true })
  return { loggerInstance: log as FastifyBaseLogger, logController }
}

async function isOwnerHere({ localUsers }: Auth, request: FastifyRequest): Promise<boolean> {
  return isOnThisMachine(peerOf(request)) && (await localUsers.isOwner(request))
}

/** Counts and logs each answered request. */
function countAnswers(app: FastifyInstance, requestCounts: RequestCounts, clock: () => Date): void {
  app.decorateRequest('isTrial', false)
  app.addHook('onResponse', async (request, reply) => {
    const { url: route, config } = request.routeOptions
    requestCounts.note({
      method: request.method,
      route,
      endpoint: config.endpoint,
      isTrial: request.isTrial,
      status: reply.statusCode,
      ms: reply.elapsedTime,
      at: clock(),
    })
    // Logs the route, never the URL: a query string may be confidential.
    request.log.debug(
      {
        requestId: request.id,
        peer: request.socket.remoteAddress,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      `${request.method} ${route ?? 'unknown'} ${reply.statusCode}`,
    )
  })
}

/** Sets up which bodies are accepted, and how large ones are handled. */
function takeBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  refuseEncodedBodies(app)
  parseLargeBodiesInTurns(app)
  sendLargeRepliesInTurns(app)
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
    return new AppError('not_found', `${method} ${path.slice(0, 200)} not found; see /docs`)
  const message = `${path} supports ${allowed.join(', ')}, not ${method}`
  return new AppError('method_not_allowed', message, undefined, { headers: { allow: allowed.join(', ') } })
}

const clientErrors: Readonly<Record<string, [status: string, code: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'the address and headers are larger than 16 KiB',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout', 'the request took too long to arrive'],
}

/** Malformed HTTP requests that reach no route still get JSON. */
function answerClientError(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, code, text] = clientErrors[error.code ?? ''] ?? [
    '400 Bad Request',
    'validation_failed',
    'the request is not valid HTTP',
  ]
  const body = JSON.stringify({ error: text, code })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  // A client that does not close its side would keep the connection open forever.
  const cut = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(cut))
}
