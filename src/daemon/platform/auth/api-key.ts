import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Permission } from '../../../contract/ground/endpoint.js'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { ApiKey, NewApiKeyBody, Scope } from '../../../contract/platform/auth.js'
import { credentialTrace, keyPrefix, shownKeyLength } from '../../../contract/platform/credential.js'
import { connectorPermissions, type Role } from '../../../contract/platform/roles.js'
import type { ApiKeyRow } from '../../../store/tables/platform/credentials.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Ground } from '../../ground/ground.js'
import { type Caller, narrowPermissions } from '../../ground/visibility/caller.js'

const keyBytes = 32

/** The recorded last use may be a minute old: a write per request would cost more than most requests. */
const usePrecisionMs = 60_000

type Deps = Pick<Ground, 'store' | 'clock' | 'newId'>

/**
 * Creates a key and stores its hash; the key itself leaves the daemon only this once (security.md 5.2).
 * @throws AppError `validation_failed` for an end in the past, `forbidden` when it could do more than its
 * creator
 */
export async function createApiKey(
  { store, clock, newId }: Deps,
  caller: Caller,
  body: NewApiKeyBody,
): Promise<Omit<ApiKey, 'revokedAt' | 'lastUsedAt'> & { key: string }> {
  const now = clock().toISOString()
  if (body.expiresAt && body.expiresAt <= now)
    throw new AppError('validation_failed', `expiresAt ${body.expiresAt} is in the past`)
  const role = body.role ?? 'agent'
  const list = body.permissions ?? (body.connector ? [...connectorPermissions] : null)
  assertGrantable(caller, narrowPermissions(role, list))
  const key = `${keyPrefix}${randomBytes(keyBytes).toString('base64url')}`
  const row: ApiKeyRow = {
    id: newId(),
    name: body.name,
    prefix: key.slice(0, shownKeyLength),
    hash: hashOf(key),
    role,
    connector: body.connector ?? null,
    agent_id: body.agentId ?? body.agent_id ?? null,
    project: body.project ?? null,
    user: body.user ?? null,
    permissions: list && JSON.stringify(list),
    created_at: now,
    created_by: caller.actor,
    expires_at: body.expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
  }
  await store.transaction(tables => tables.apiKeys.insert(row))
  const { revokedAt: _revokedAt, lastUsedAt: _lastUsedAt, ...shown } = toApiKey(row)
  return { ...shown, key }
}

/** A key without its hash, fit to be shown. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    role: row.role as Role,
    connector: row.connector,
    agentId: row.agent_id,
    project: row.project,
    user: row.user,
    permissions: narrowPermissions(row.role as Role, listOf(row)),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }
}

/**
 * Revokes a key at once, since every request looks its key up. A leaked key may be named in full; it is not
 * repeated.
 * @throws AppError `not_found`; `conflict` when several keys begin with the prefix
 */
export async function revokeApiKey(
  { store, clock }: Deps,
  named: string,
): Promise<{ id: string; revokedAt: string }> {
  const idOrPrefix = credentialTrace(named) || named
  return store.transaction(async ({ apiKeys }) => {
    const [row, another] = await apiKeys.byIdOrPrefix(idOrPrefix)
    if (!row)
      throw notFound(`API key ${JSON.stringify(idOrPrefix)} not found`, 'memory api-key list shows them')
    if (another)
      throw new AppError('conflict', `several API keys begin with ${idOrPrefix}; name one by its id`)
    const now = clock().toISOString()
    await apiKeys.revoke(row.id, now)
    return { id: row.id, revokedAt: row.revoked_at ?? now }
  })
}

/** The key that a request presents; undefined when it is unknown, revoked or expired. */
export async function findApiKey(
  { apiKeys }: Pick<Tables, 'apiKeys'>,
  key: string,
  now: Date,
): Promise<ApiKeyRow | undefined> {
  const hash = hashOf(key)
  const row = await apiKeys.byHash(hash)
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined
  return isInForce(row, now) ? row : undefined
}

/** The key with an id; undefined when it is unknown, revoked or expired. */
export async function apiKeyById(
  { apiKeys }: Pick<Tables, 'apiKeys'>,
  id: string,
  now: Date,
): Promise<ApiKeyRow | undefined> {
  return (await apiKeys.byIdOrPrefix(id)).find(row => row.id === id && isInForce(row, now))
}

function isInForce({ revoked_at, expires_at }: ApiKeyRow, now: Date): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now.toISOString())
}

/** The scope that a key is confined to. */
export function scopeOf({ agent_id, project, user }: ApiKeyRow): Scope {
  return {
    ...(agent_id !== null && { agent: agent_id }),
    ...(project !== null && { project }),
    ...(user !== null && { user }),
  }
}

/** Records the use of a key, at most once a minute. A failure is only logged, and the key stays valid. */
export async function noteKeyUse(
  { store, clock, log }: Pick<Ground, 'store' | 'clock' | 'log'>,
  row: ApiKeyRow,
): Promise<void> {
  const now = clock()
  const age = row.last_used_at === null ? Number.NaN : now.getTime() - Date.parse(row.last_used_at)
  if (age >= 0 && age < usePrecisionMs) return
  try {
    await store.write({ until: 'executed' }, ({ apiKeys }) => apiKeys.noteUse(row.id, now.toISOString()))
  } catch (error) {
    log.warn({ err: error, id: row.id }, 'API key use not recorded')
  }
}

/** The permissions a stored key was limited to; null when it has all of its role. */
export function listOf(row: ApiKeyRow): Permission[] | null {
  return row.permissions === null ? null : (JSON.parse(row.permissions) as Permission[])
}

/** The text under which a key or a token is stored. 256 random bits need no salt and no slow hash. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/**
 * A credential can't grant permissions it lacks: a limited admin key can't create a full one. @throws
 * AppError `forbidden`
 */
export function assertGrantable({ access }: Caller, wanted: readonly Permission[]): void {
  const missing = wanted.filter(permission => !access.permissions.has(permission))
  if (missing.length === 0) return
  throw new AppError('forbidden', `this credential lacks ${missing.join(', ')} and can't grant it`)
}
