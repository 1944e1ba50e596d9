import type { FastifyRequest } from 'fastify'
import type { EndpointShape, Permission, RateBucket } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import { type Access, fullAccess, noAccess } from '../../ground/visibility/access.js'
import type { Auth } from '../auth/auth.js'
import { type AuthenticateDeps, authenticate } from '../auth/authenticate.js'
import { networkOf } from '../auth/network-of.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request may do; null until it is let in, and on public routes. */
    access: Access | null
    /** Whether it only tries what its route does: it counts as none of its kind. */
    isTrial: boolean
  }
  interface FastifyContextConfig {
    /** What the route serves; a route without one takes any valid credential. */
    endpoint?: EndpointShape
  }
}

/**
 * Lets a request in before its body is read: who asks, may they, how often
 * (rules.md 7: 401 before 403 before everything else). An unknown address takes a credential as well, so that it tells
 * a stranger nothing.
 * @returns nothing to wait for in local mode and on public routes.
 * @throws AppError `unauthenticated`, `forbidden` or `rate_limited`
 */
export function admit(deps: AuthenticateDeps, request: FastifyRequest): void | Promise<void> {
  if (deps.auth.mode() === 'local') {
    request.access = fullAccess
    return
  }
  const { endpoint } = request.routeOptions.config
  if (endpoint?.permission !== 'public') return admitKnown(deps, request, endpoint)
  limit(deps.auth, request, endpoint.bucket)
}

async function admitKnown(
  deps: AuthenticateDeps,
  request: FastifyRequest,
  endpoint: EndpointShape | undefined,
): Promise<void> {
  request.access = await accessOfKnown(deps, request)
  assertAdmitted(request.access, endpoint)
  limit(deps.auth, request, endpoint?.bucket)
}

/**
 * Whether who made a request would be let in again now: a credential may have been revoked or have run out, and the mode
 * may be another one.
 */
export async function isStillAdmitted(deps: AuthenticateDeps, request: FastifyRequest): Promise<boolean> {
  try {
    assertAdmitted(await accessOfKnown(deps, request), request.routeOptions.config.endpoint)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

async function accessOfKnown(
  deps: AuthenticateDeps,
  { headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>,
): Promise<Access> {
  return authenticate(deps, { headers, peer: socket.remoteAddress })
}

function assertAdmitted(access: Access, endpoint: EndpointShape | undefined): void {
  const permission = endpoint?.permission ?? 'authenticated'
  if (permission !== 'authenticated') assertPermitted(access, permission as Permission)
}

/**
 * The further permission and limit that depend on what a request says, once it is parsed.
 * @throws AppError `forbidden` or `rate_limited`
 */
export function admitParsed(
  auth: Auth,
  request: FastifyRequest,
  endpoint: EndpointShape,
  input: object,
): void {
  const permission = endpoint.permissionFor?.(input as never)
  if (permission) assertPermitted(request.access ?? noAccess, permission)
  limit(auth, request, endpoint.bucketFor?.(input as never))
}

/** Counts a request; there are no limits in local mode (security.md 5.5). @throws AppError `rate_limited` */
function limit(auth: Auth, request: FastifyRequest, bucket: RateBucket | undefined): void {
  if (bucket === undefined || auth.mode() === 'local') return
  const { access, socket } = request
  auth.limiter.take(bucket, access?.rateKey ?? `address ${networkOf(socket.remoteAddress ?? '')}`)
}

function assertPermitted({ permissions, role, credential }: Access, permission: Permission): void {
  if (permissions.has(permission)) return
  const what = credential === 'api-key' ? `this API key (role ${role})` : `the role ${role}`
  throw new AppError('forbidden', `${what} lacks the permission ${permission}`)
}
