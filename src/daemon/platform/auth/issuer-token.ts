import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { AppError } from '../../../contract/ground/errors.js'
import { type Role, rolePermissions, roles } from '../../../contract/platform/roles.js'
import type { AuthSettings } from '../../../contract/settings.js'
import { metadataAddresses } from '../../../lib/network/address-below.js'
import { isRecord, valueAt } from '../../../lib/text/json-of.js'
import { ApiFault } from '../../ground/fetch/api-faults.js'
import { exchange, jsonOf, openConnection } from '../../ground/fetch/exchange.js'
import type { Access } from '../../ground/visibility/caller.js'
import type { Auth } from './auth.js'
import { grantedAccess } from './login-account.js'
import { resourcesOf } from './public-address.js'

type Oidc = AuthSettings['oidc']

/** Signatures that need no shared secret; `none` is not among them. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Clocks of two machines differ. */
const toleranceSeconds = 30
/** An issuer's keys are read again after this time, or earlier for a key that is not among them. */
const keptMs = 3_600_000
const pauseMs = 10_000
const maxBytes = 1024 * 1024
const deadlineMs = 5_000

interface IssuerKeys {
  issuer: string
  keys: ReturnType<typeof createLocalJWKSet>
  readAt: number
}

/** Keys of the issuer in the settings, for each daemon of this process. */
const known = new WeakMap<object, IssuerKeys>()

/**
 * The access of a token from the issuer in `auth.oidc`: signature, issuer, audience, times, then the person's
 * role and the scopes (team.md).
 * @returns undefined when the token is not valid. @throws AppError `provider_failed` when the issuer's keys
 * can't be read
 */
export async function accessByIssuer(
  { auth, clock }: { auth: Pick<Auth, 'settings'>; clock: () => Date },
  token: string,
  address: string | undefined,
): Promise<Access | undefined> {
  const { oidc } = auth.settings()
  const { issuer } = oidc
  const audience = oidc.audience ?? (address === undefined ? undefined : resourcesOf(address))
  if (issuer === undefined || audience === undefined) return undefined
  const now = clock()
  const checks = { issuer, audience, algorithms, clockTolerance: toleranceSeconds, currentDate: now }
  const verify = async (mayBeOld: boolean): Promise<JWTPayload | undefined> => {
    const { keys, readAt } = await keysOf(auth, issuer, now.getTime(), mayBeOld ? keptMs : pauseMs)
    try {
      return (await jwtVerify(token, keys, { ...checks, requiredClaims: ['exp', 'sub'] })).payload
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey && mayBeOld
      if (isUnknownKey && now.getTime() - readAt > pauseMs) return verify(false)
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
  const claims = await verify(true)
  return claims && accessOfClaims(oidc, claims)
}

async function keysOf(auth: object, issuer: string, now: number, keptFor: number): Promise<IssuerKeys> {
  const kept = known.get(auth)
  if (kept?.issuer === issuer && now - kept.readAt < keptFor) return kept
  const { jwks_uri: address } = await metadataOf(issuer)
  const set = await get(new URL(String(address)))
  if (!isRecord(set) || !Array.isArray(set.keys)) throw failed(issuer, 'its keys are not a JSON Web Key Set')
  const read = { issuer, keys: createLocalJWKSet(set as unknown as JSONWebKeySet), readAt: now }
  known.set(auth, read)
  return read
}

async function metadataOf(issuer: string): Promise<Record<string, unknown>> {
  const { openId, oauth } = metadataAddresses(issuer)
  for (const place of [openId, oauth]) {
    const found = await get(new URL(place))
    if (!isRecord(found) || typeof found.jwks_uri !== 'string') continue
    if (found.issuer !== issuer) throw failed(issuer, `it calls itself ${JSON.stringify(found.issuer)}`)
    return found
  }
  throw failed(issuer, 'it has no metadata with jwks_uri')
}

async function get(url: URL): Promise<unknown> {
  const connection = await openConnection()
  try {
    const reply = await exchange(connection, { url, headers: {}, maxBytes, deadlineMs })
    return reply.status === 200 ? await jsonOf(reply) : undefined
  } catch (error) {
    if (error instanceof ApiFault) throw failed(url.origin, error.message)
    throw error
  } finally {
    await connection.destroy()
  }
}

function failed(issuer: string, why: string): AppError {
  return new AppError('provider_failed', `the issuer ${issuer} (auth.oidc.issuer) can't be used: ${why}`)
}

function accessOfClaims(oidc: Oidc, claims: JWTPayload): Access | undefined {
  const role = roleOf(oidc, claims)
  if (role === undefined) return undefined
  const permissions = rolePermissions[role]
  const scopes = oidc.checkScopes ? scopesOf(claims) : permissions
  const { sub = '' } = claims
  const name = [claims.preferred_username, claims.email, sub].find(text => typeof text === 'string' && text)
  return grantedAccess(
    { name: String(name).slice(0, 255), role, scope: {}, rateKey: `login ${sub}`, permissions },
    scopes,
  )
}

/** The highest role among those of the claim. */
function roleOf({ roleClaim, roles: given }: Oidc, claims: JWTPayload): Role | undefined {
  const values = [valueAt(claims, [roleClaim]) ?? valueAt(claims, roleClaim.split('.'))].flat()
  const named = ['*', ...values.filter(value => typeof value === 'string')]
  const mine = named.flatMap(value => (Object.hasOwn(given, value) ? [given[value]] : []))
  return roles.find(role => mine.includes(role))
}

/** Issuers write `scope` or `scp`, as text or list, and some put the resource before each name. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope, scp]
    .flat()
    .flatMap(text => (typeof text === 'string' ? text.split(' ') : []))
    .map(name => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1))
}
