import type { FastifyRequest } from 'fastify'
import type { EndpointShape, Permission, RateBucket } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import { type Access, type Caller, noAccess } from '../../ground/visibility/caller.js'
import type { Auth } from '../auth/auth.js'
import { type AuthenticateDeps, authenticate, authenticateLocally } from '../auth/authenticate.js'
import { assertMayRunPrograms, networkOf } from '../auth/loopback.js'
import { challengeFor } from '../auth/public-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's permissions; null until it is admitted, and on public routes. */
    access: Access | null
    /** True for a trial run, which is not counted as an operation. */
    isTrial: boolean
  }
  interface FastifyContextConfig {
    /** The endpoint served; a route without one accepts any valid credential. */
    endpoint?: EndpointShape
  }
}

/**
 * Checks a request before its body is read: credential, permission, rate limit (rules.md 7: 401 before 403
 * before everything else). Unknown addresses need a credential too, so that a stranger learns nothing from
 * them.
 * @returns nothing to wait for in local mode and on public routes
 * @throws AppError `unauthenticated`, `forbidden` or `rate_limited`
 */
export function admit(deps: AuthenticateDeps, request: FastifyRequest): void | Promise<void> {
  const { endpoint } = request.routeOptions.config
  if (deps.auth.mode() === 'local') return admitLocally(deps, request, endpoint)
  if (endpoint?.permission !== 'public') return admitKnown(deps, request, endpoint)
  limit(deps.auth, request, endpoint.bucket)
}

function admitLocally(
  deps: AuthenticateDeps,
  request: FastifyRequest,
  endpoint: EndpointShape | undefined,
): void | Promise<void> {
  if (endpoint?.permission === 'public') return
  const access = authenticateLocally(deps, request)
  if (!(access instanceof Promise)) {
    request.access = access
    return
  }
  return access.then(known => {
    request.access = known
    assertAdmitted(deps.auth, request, known, endpoint)
  })
}

async function admitKnown(
  deps: AuthenticateDeps,
  request: FastifyRequest,
  endpoint: EndpointShape | undefined,
): Promise<void> {
  request.access = await accessOfKnown(deps, request)
  assertAdmitted(deps.auth, request, request.access, endpoint)
  limit(deps.auth, request, endpoint?.bucket)
}

/**
 * True when the sender would still be admitted: the credential may have been revoked or expired, or the mode
 * changed.
 */
export async function isStillAdmitted(deps: AuthenticateDeps, request: FastifyRequest): Promise<boolean> {
  try {
    const access = await accessOfKnown(deps, request)
    assertAdmitted(deps.auth, request, access, request.routeOptions.config.endpoint)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

async function accessOfKnown(
  deps: AuthenticateDeps,
  { headers, socket, url }: Pick<FastifyRequest, 'headers' | 'socket' | 'url'>,
): Promise<Access> {
  if (deps.auth.mode() === 'local') return authenticateLocally(deps, { headers, socket })
  return authenticate(deps, { headers, peer: socket.remoteAddress, url })
}

function assertAdmitted(
  auth: Auth,
  request: FastifyRequest,
  access: Access,
  endpoint: EndpointShape | undefined,
): void {
  const permission = endpoint?.permission ?? 'authenticated'
  if (permission !== 'authenticated') assertPermitted(auth, request, access, permission as Permission)
}

/**
 * Checks the additional permission and limit that depend on the parsed request.
 * @throws AppError `forbidden` or `rate_limited`
 */
export function admitParsed(
  { auth, configuration }: { auth: Auth } & Pick<Ground, 'configuration'>,
  request: FastifyRequest,
  endpoint: EndpointShape,
  input: { caller: Caller; body: unknown },
): void {
  const permission = endpoint.permissionFor?.(input as never)
  if (permission) assertPermitted(auth, request, request.access ?? noAccess, permission)
  assertMayRunPrograms({ configuration }, endpoint, input)
  limit(auth, request, endpoint.bucketFor?.(input as never))
}

/** Counts a request; local mode has no limits (security.md 5.5). @throws AppError `rate_limited` */
function limit(auth: Auth, request: FastifyRequest, bucket: RateBucket | undefined): void {
  if (bucket === undefined || auth.mode() === 'local') return
  const { access, socket } = request
  auth.limiter.take(bucket, access?.rateKey ?? `address ${networkOf(socket.remoteAddress ?? '')}`)
}

function assertPermitted(
  auth: Auth,
  request: FastifyRequest,
  { permissions, role, credential }: Access,
  permission: Permission,
): void {
  if (permissions.has(permission)) return
  const what = credential === 'api-key' ? `this API key (role ${role})` : `the role ${role}`
  const fault = { error: 'insufficient_scope', scopes: [permission] } as const
  throw new AppError('forbidden', `${what} lacks the permission ${permission}`, undefined, {
    ...(credential === 'token' && {
      headers: { 'www-authenticate': challengeFor(auth, request, fault) },
    }),
  })
}
