import { setTimeout as sleep } from 'node:timers/promises'
import { metadataAddresses } from '../../lib/network/address-below.js'
import { isInTheClear } from '../../lib/network/is-loopback.js'
import { ClientError } from '../http/client-error.js'
import type { SavedLogin } from './saved-login.js'
import { ask, askTokens, postForm } from './token-request.js'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const usualIntervalSeconds = 5

/** The page and the code for the person who logs in. */
export interface DeviceCode {
  url: string
  code: string
}

export interface DeviceLoginOptions {
  /** Origin of the daemon. */
  origin: string
  /** Names of permissions; the daemon's usual ones if absent. */
  scope?: string | undefined
  /** For issuers where programs do not register themselves. */
  clientId?: string | undefined
  show(code: DeviceCode): void
}

/**
 * Logs in at a daemon elsewhere: the person opens a page in any browser, and this program waits (RFC 8628).
 * @throws ClientError when the daemon offers no login, or the person denied it or took too long
 */
export async function logInByDevice(options: DeviceLoginOptions): Promise<SavedLogin> {
  const { origin, show } = options
  assertSecure(origin)
  const { server, resource, scopes } = await discover(origin)
  const scope = options.scope ?? scopes.join(' ')
  const clientId = options.clientId ?? (await register(server))
  const fields = { client_id: clientId, scope, resource }
  const device = await postForm(endpointOf(server, 'device_authorization_endpoint'), fields)
  if (typeof device.device_code !== 'string') throw refused(String(device.error_description ?? device.error))
  const { device_code, user_code, verification_uri, verification_uri_complete } = device
  show({ url: String(verification_uri_complete ?? verification_uri), code: String(user_code) })
  const tokenEndpoint = endpointOf(server, 'token_endpoint')
  const tokens = await waitForTokens(tokenEndpoint, Number(device.interval ?? usualIntervalSeconds), {
    grant_type: deviceGrant,
    device_code,
    client_id: clientId,
    resource,
  })
  const { revocation_endpoint: revocation } = server
  const revocationEndpoint = typeof revocation === 'string' ? revocation : undefined
  return { clientId, tokenEndpoint, revocationEndpoint, resource, ...tokens }
}

type Metadata = Record<string, unknown>

async function discover(origin: string): Promise<{ server: Metadata; resource: string; scopes: string[] }> {
  const described = await ask(`${origin}/.well-known/oauth-protected-resource/mcp`)
  const [issuer] = [described.authorization_servers].flat()
  if (typeof issuer !== 'string') throw refused(String(described.error ?? 'it names no issuer'))
  assertSecure(issuer)
  const { scopes_supported: scopes, resource } = described
  const known = { resource: String(resource), scopes: Array.isArray(scopes) ? scopes.map(String) : [] }
  const { openId, oauth } = metadataAddresses(issuer)
  for (const place of [oauth, openId]) {
    const server = await ask(place).catch((): Metadata => ({}))
    if (server.issuer === issuer) return { server, ...known }
  }
  throw refused(`${issuer} has no metadata`)
}

async function register(server: Metadata): Promise<string> {
  if (typeof server.registration_endpoint !== 'string')
    throw refused('its issuer registers no programs: name one with --client-id')
  const registered = await ask(server.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'memory (command line)',
      token_endpoint_auth_method: 'none',
      grant_types: [deviceGrant, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    }),
  })
  if (typeof registered.client_id === 'string') return registered.client_id
  throw refused(String(registered.error_description ?? registered.error))
}

async function waitForTokens(endpoint: string, interval: number, fields: Record<string, string>) {
  for (let seconds = interval; ; ) {
    await sleep(seconds * 1000)
    const reply = await askTokens(endpoint, fields)
    if (!('error' in reply)) return reply
    if (reply.error === 'slow_down') seconds += usualIntervalSeconds
    else if (reply.error === 'access_denied') throw refused('it was denied on the page')
    else if (reply.error !== 'authorization_pending') throw refused(`${reply.error}; run memory login again`)
  }
}

function endpointOf(server: Metadata, name: string): string {
  const { [name]: endpoint } = server
  if (typeof endpoint !== 'string') throw refused(`its issuer has no ${name}`)
  assertSecure(endpoint)
  return endpoint
}

/** Codes and tokens must not be readable on the way. */
function assertSecure(address: string): void {
  if (URL.canParse(address) && !isInTheClear(new URL(address))) return
  throw refused(`${address} is not an address with https`)
}

function refused(why: string): ClientError {
  return new ClientError(`the login failed: ${why}`, {
    code: 'login_failed',
    nextSteps: ['memory login --url https://HOST', 'or set SERVICE_API_KEY to a key of the team'],
  })
}
