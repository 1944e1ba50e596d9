import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { AppError } from '../../../contract/ground/errors.js'
import { oauthRegistration, oauthServer, resourceMetadata } from '../../../contract/platform/auth.js'
import type { Auth } from '../auth/auth.js'
import {
  allScopes,
  issuerFor,
  publicAddress,
  resourceMetadataPath,
  usualScopes,
} from '../auth/public-address.js'
import type { WhenReady } from '../http/bind.js'
import { passBodiesOn } from '../http/bodies/large-bodies.js'

/** Addresses of this machine are few: its names with one port. */
const maxProviders = 8

type Servers = (address: string) => Promise<Provider>

/**
 * Serves OAuth: metadata that leads clients to the login (RFC 9728), and the daemon's own authorization
 * server where `auth.oidc.issuer` names no other (team.md).
 */
export function registerOauth(app: FastifyInstance, auth: Auth, whenReady: WhenReady): void {
  const config = { endpoint: oauthServer }
  for (const path of ['', '/mcp'])
    app.get(`${resourceMetadataPath}${path}`, { config: { endpoint: resourceMetadata } }, request =>
      describeResource(auth, request, path),
    )
  const servers = keepServers(auth, whenReady)
  app.register(async scope => {
    passBodiesOn(scope)
    const pass = (request: FastifyRequest, reply: FastifyReply) => passOn(auth, servers, request, reply)
    for (const url of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
      scope.get(url, { config }, pass)
    scope.post('/oauth/register', { config: { endpoint: oauthRegistration } }, pass)
    scope.route({
      method: ['GET', 'POST'],
      url: '/oauth/login/:uid',
      config,
      handler: async (request, reply) => {
        const { raw, provider } = await serverFor(auth, servers, request)
        const { askToLogIn } = await import('./ask-to-log-in.js')
        takeOver(reply)
        await askToLogIn({
          provider,
          deps: { ...(await whenReady()), auth },
          request: raw,
          response: reply.raw,
        })
      },
    })
    scope.route({ method: ['GET', 'POST'], url: '/oauth/*', config, handler: pass })
  })
}

function describeResource(auth: Auth, { headers }: FastifyRequest, path: string): object {
  const address = publicAddress(auth.settings(), headers)
  const issuer = issuerFor(auth, address)
  if (issuer === undefined) throw notOffered()
  return {
    resource: `${address}${path}`,
    authorization_servers: [issuer],
    scopes_supported: path === '' ? allScopes : usualScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Memory',
  }
}

/** A server for each address, loaded by the first login. */
function keepServers(auth: Auth, whenReady: WhenReady): Servers {
  const known = new Map<string, Promise<Provider>>()
  const create = async (address: string): Promise<Provider> => {
    const [{ createProvider }, daemon] = await Promise.all([import('./provider.js'), whenReady()])
    const { store, clock, log } = daemon
    return createProvider({ address, deps: { store, clock, log, auth } })
  }
  return address => {
    const server = known.get(address) ?? create(address)
    server.catch(() => known.delete(address))
    known.set(address, server)
    const [oldest = ''] = known.keys()
    if (known.size > maxProviders) known.delete(oldest)
    return server
  }
}

async function passOn(
  auth: Auth,
  servers: Servers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { raw, provider } = await serverFor(auth, servers, request)
  takeOver(reply)
  await provider.callback()(raw, reply.raw)
}

/** The authorization server that a request asks, and the request as it sees it. */
async function serverFor(
  auth: Auth,
  servers: Servers,
  { headers, raw }: FastifyRequest,
): Promise<{ provider: Provider; raw: IncomingMessage }> {
  const address = publicAddress(auth.settings(), headers)
  const issuer = issuerFor(auth, address)
  if (address === undefined || issuer !== address) throw notOffered()
  const { host, protocol } = new URL(address)
  // A proxy changes both, but the server's addresses are those that clients know.
  Object.assign(raw.headers, { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) })
  raw.url = withScope(raw.url ?? '/')
  return { provider: await servers(address), raw }
}

/** A client that asks for no scope gets the usual ones. */
function withScope(url: string): string {
  const [path, query = ''] = url.split('?', 2)
  if (path !== '/oauth/authorize') return url
  const parameters = new URLSearchParams(query)
  if (parameters.get('scope')?.trim()) return url
  parameters.set('scope', usualScopes.join(' '))
  return `${path}?${parameters}`
}

/** The rest of the reply is written without Fastify, with the headers that it has so far. */
function takeOver(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value)
  reply.hijack()
  return reply.raw
}

function notOffered(): AppError {
  return new AppError(
    'not_found',
    'no login over OAuth here: it needs auth.mode team or hybrid, and auth.publicUrl for other names than this machine’s',
  )
}
