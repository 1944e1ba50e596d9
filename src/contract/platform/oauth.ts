import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'

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
