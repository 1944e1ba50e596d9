import { z } from 'zod'
import { endpoint, permissions } from '../ground/endpoint.js'
import { id, name, projectName, timestamp } from '../ground/fields.js'
import { roles } from './roles.js'

const role = z.enum(roles)

/** Scope of a credential. Unknown fields are refused, because ignoring them would widen the credential. */
const scope = z.strictObject({
  project: projectName.optional(),
  agent: name.optional(),
  user: name.optional(),
})
export type Scope = z.infer<typeof scope>

/** Payload of a signed token; times are Unix seconds (security.md 5.2). */
export const tokenClaims = z.object({
  sub: name,
  role,
  scope: scope.optional(),
  iat: z.number(),
  exp: z.number(),
})
export type TokenClaims = z.infer<typeof tokenClaims>

export const issueToken = endpoint({
  method: 'POST',
  path: '/api/auth/token',
  summary: 'Issue a signed token for a role',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  body: z.object({ role, sub: name.nullish(), scope: scope.nullish() }),
  success: 201,
  response: z.object({ token: z.string(), expiresAt: z.string(), role, scope, sub: z.string() }),
})

export const whoami = endpoint({
  method: 'GET',
  path: '/api/auth/whoami',
  summary: 'Get the identity and permissions of the credential',
  permission: 'authenticated',
  mutates: false,
  response: z.object({
    authenticated: z.boolean(),
    mode: z.enum(['local', 'team', 'hybrid']),
    actor: z.string(),
    role,
    scope,
    permissions: z.array(z.enum(permissions)),
    credential: z.enum(['none', 'api-key', 'token']),
  }),
})

/** Small limit, because the sender is not authenticated yet. */
const maxPublicBodyBytes = 4096

export const login = endpoint({
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Exchange the admin password for a session token',
  permission: 'public',
  mutates: false,
  bucket: 'login',
  maxBodyBytes: maxPublicBodyBytes,
  body: z.object({ username: z.string().max(255), password: z.string().max(1024) }),
  response: z.object({
    token: z.string(),
    expiresAt: z.string(),
    role: z.literal('admin'),
    username: z.string(),
  }),
})

const reserved = {
  method: 'POST',
  permission: 'public',
  mutates: false,
  bucket: 'login',
  maxBodyBytes: maxPublicBodyBytes,
  response: z.object({ status: z.literal('not_implemented') }),
} as const

export const ssoLogin = endpoint({
  ...reserved,
  outcomes: { not_implemented: [501, 'SSO login is not available; log in with a password'] },
  path: '/api/auth/login/sso',
  aliases: ['/api/auth/sso'],
  summary: 'Reserved; returns 501',
})

export const samlLogin = endpoint({
  ...reserved,
  outcomes: { not_implemented: [501, 'SAML login is not available; log in with a password'] },
  path: '/api/auth/login/saml',
  aliases: ['/api/auth/saml'],
  summary: 'Reserved; returns 501',
})

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The first characters of the key, to tell keys apart. */
  prefix: z.string(),
  role,
  connector: z.string().nullable(),
  agentId: z.string().nullable(),
  project: z.string().nullable(),
  user: z.string().nullable(),
  /** Permissions of the key: those of its role, narrowed. */
  permissions: z.array(z.enum(permissions)),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  /** To within a minute; null before the first use. */
  lastUsedAt: z.string().nullable(),
})
export type ApiKey = z.infer<typeof apiKey>

const newApiKey = z.object({
  name,
  role: role.nullish(),
  connector: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  project: projectName.nullish(),
  user: name.nullish(),
  permissions: z.array(z.enum(permissions)).max(permissions.length).nullish(),
  expiresAt: timestamp.nullish(),
})
export type NewApiKeyBody = z.infer<typeof newApiKey>

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api/auth/keys',
  summary: 'Create an API key; its text is shown only once',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  body: newApiKey,
  success: 201,
  response: apiKey.omit({ revokedAt: true, lastUsedAt: true }).extend({ key: z.string() }),
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/auth/keys',
  summary: 'List API keys, including revoked ones',
  permission: 'admin',
  mutates: false,
  response: z.object({ keys: z.array(apiKey) }),
})

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/auth/keys/:idOrPrefix',
  summary: 'Revoke an API key immediately',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  params: z.object({ idOrPrefix: id }),
  response: z.object({ id: z.string(), revokedAt: z.string() }),
})

const shared = { permission: 'public', mutates: false, response: z.unknown() } as const

/** Metadata of the daemon as a resource of OAuth (RFC 9728, team.md). */
export const resourceMetadata = endpoint({
  ...shared,
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  summary: 'Name the authorization server whose tokens the daemon accepts',
})

/** Routes of the daemon's own authorization server, whose bodies OAuth defines. */
export const oauthServer = endpoint({
  ...shared,
  method: 'GET',
  path: '/oauth/*',
  summary: 'Log in over OAuth',
})

/** Anybody may register a client, so addresses are limited. */
export const oauthRegistration = endpoint({
  ...shared,
  method: 'POST',
  path: '/oauth/register',
  summary: 'Register a client of OAuth',
  bucket: 'login',
})
