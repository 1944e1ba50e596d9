import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../../../contract/ground/errors.js'
import { keyPrefix } from '../../../contract/platform/credential.js'
import type { Role } from '../../../contract/platform/roles.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import { instanceHeader } from '../../../lib/workspace/peer-headers.js'
import type { Ground } from '../../ground/ground.js'
import { type Access, accessOf, fullAccess } from '../../ground/visibility/caller.js'
import { findApiKey, listOf, noteKeyUse, scopeOf } from './api-key.js'
import type { Auth } from './auth.js'
import type { LocalRequest } from './local-users.js'
import { challengeFor, issuerFor, publicAddress } from './public-address.js'
import { readToken } from './token.js'

export interface AuthenticateDeps {
  auth: Auth
  clock: () => Date
  whenReady: () => Promise<Ground>
}

export interface Credentials {
  headers: IncomingHttpHeaders
  /** Address of the TCP peer; addresses claimed in headers don't count (security.md 5.1). */
  peer: string | undefined
  /** Path with query. */
  url?: string | undefined
}

/** Longer than any credential of ours, and than usual tokens of other issuers. */
const maxCredentialLength = 8192

/**
 * Determines the caller's access from the mode and the credential (security.md 5.1 and 5.2). For modes team
 * and hybrid.
 * @throws AppError `unauthenticated`, with the same message for every fault of a credential
 */
export function authenticate(
  deps: AuthenticateDeps,
  { headers, peer, url }: Credentials,
): Access | Promise<Access> {
  const mode = deps.auth.mode()
  // Recreates a deleted secret for any request: the owner's next request is signed with it.
  deps.auth.secret()
  const { authorization } = headers
  if (authorization !== undefined) return accessBy(deps, { headers, url }, authorization)
  if (mode === 'hybrid' && isLoopback(peer ?? '')) return fullAccess
  throw unauthenticated(
    'this service needs a credential: send Authorization: Bearer <API key or token>',
    challengeFor(deps.auth, { headers, url }),
  )
}

/**
 * Determines the access in mode local: all for the owner of the workspace, and that of a key or token for
 * other users of the machine. Marks a request of the owner, so that calls which the daemon makes for it are
 * the owner's too. Synchronous for most requests.
 * @throws AppError `other_user` or `unauthenticated`
 */
export function authenticateLocally(deps: AuthenticateDeps, request: LocalRequest): Access | Promise<Access> {
  const own = (): Access => {
    request.headers[instanceHeader] ??= deps.auth.instance
    return fullAccess
  }
  const { localUsers } = deps.auth
  const isOwner = localUsers.isOwner(request)
  if (isOwner === true) return own()
  return Promise.resolve(isOwner).then(is => {
    if (is) return own()
    const { authorization } = request.headers
    if (authorization !== undefined) return accessBy(deps, request, authorization)
    throw localUsers.refusal()
  })
}

type AskedWith = Pick<Credentials, 'headers' | 'url'>

async function accessBy(deps: AuthenticateDeps, sent: AskedWith, authorization: string): Promise<Access> {
  const [, credential = ''] = /^Bearer +(\S+)$/iu.exec(authorization) ?? []
  const known = credential.length <= maxCredentialLength ? await lookUp(deps, sent, credential) : undefined
  if (known) return known
  throw unauthenticated(
    'the credential is not valid: malformed, unknown, expired or revoked',
    challengeFor(deps.auth, sent, { error: 'invalid_token' }),
  )
}

/** Parts of a credential between dots: one in a token of a login, two in ours, three in those of issuers. */
async function lookUp(
  deps: AuthenticateDeps,
  { headers }: AskedWith,
  credential: string,
): Promise<Access | undefined> {
  if (credential === '') return undefined
  if (credential.startsWith(keyPrefix)) return byApiKey(deps, credential)
  const { auth, clock, whenReady } = deps
  const parts = credential.split('.').length
  if (parts === 2) return byToken(auth, credential, clock())
  const address = publicAddress(auth.settings(), headers)
  const issuer = issuerFor(auth, address)
  if (issuer === undefined) return undefined
  if (parts === 1) {
    const { accessByLogin } = await import('./login-account.js')
    const { store, log } = await whenReady()
    return accessByLogin({ store, clock, log, auth }, credential, address)
  }
  const { accessByIssuer } = await import('./issuer-token.js')
  return accessByIssuer({ auth, clock }, credential, address)
}

function byToken(auth: Auth, token: string, now: Date): Access | undefined {
  const claims = readToken(auth.secret(), token, now)
  if (!claims) return undefined
  const { sub, role, scope = {} } = claims
  return accessOf({ kind: 'token', actor: sub, rateKey: `token ${sub}`, role, scope, permissions: null })
}

async function byApiKey({ clock, whenReady }: AuthenticateDeps, key: string): Promise<Access | undefined> {
  const daemon = await whenReady()
  const row = await findApiKey(daemon.store.tables, key, clock())
  if (!row) return undefined
  await noteKeyUse(daemon, row)
  return accessOf({
    kind: 'api-key',
    actor: row.name,
    rateKey: `key ${row.id}`,
    role: row.role as Role,
    scope: scopeOf(row),
    permissions: listOf(row),
  })
}

function unauthenticated(message: string, challenge: string): AppError {
  return new AppError('unauthenticated', message, undefined, { headers: { 'www-authenticate': challenge } })
}
