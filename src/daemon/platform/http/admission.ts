import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { AppError } from '../../../contract/ground/errors.js'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** How long a stream may outlive the credential that opened it. */
export const admissionPrecisionMs = 2000

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Counts a request of a limited route from the moment its body has arrived whole (contract.md, "In
     * flight"); repeated calls do nothing. @throws AppError `overloaded` when the route is full
     */
    enterRoute?: (request: FastifyRequest) => void
  }
  interface FastifyRequest {
    /** Ends this request's place among those in flight of its route; null before it has one. */
    leaveRoute: (() => void) | null
  }
}

/** Limits the number of simultaneous requests; further ones are rejected at once. */
export interface Admission {
  max: number
  /** @returns a function to call when the request ends (repeated calls do nothing); undefined when full */
  enter(): (() => void) | undefined
}

export function createAdmission(max: number): Admission {
  const inside = new Set<symbol>()
  return {
    max,
    enter: () => {
      if (inside.size >= max) return undefined
      const ticket = Symbol()
      inside.add(ticket)
      return () => void inside.delete(ticket)
    },
  }
}

/** @returns a function to call when the request ends. @throws AppError `overloaded` when full */
export function enterOrRefuse(admission: Admission, what: string): () => void {
  const leave = admission.enter()
  if (leave) return leave
  const message = `${admission.max} ${what} are already active; try again shortly`
  throw new AppError('overloaded', message, undefined, { headers: { 'retry-after': '1' } })
}

/** Returns the `enterRoute` of a route that accepts this many requests at a time. */
export function routeLimit(max: number): (request: FastifyRequest) => void {
  const admission = createAdmission(max)
  return request => {
    request.leaveRoute ??= enterOrRefuse(admission, 'requests of this kind')
  }
}

interface Options {
  /** Checks whether the stream's opener would still be admitted. */
  isAdmitted(): Promise<boolean>
  log: Pick<Logger, 'warn'>
  timers?: Timers
}

/** Ends a stream soon after its reader loses access (security.md 5.2). A failed check does not end it. */
export function endWithAdmission(
  stream: Readable,
  { isAdmitted, log, timers = systemTimers }: Options,
): void {
  let asking = false
  const look = async (): Promise<void> => {
    if (asking) return
    asking = true
    try {
      if (!(await isAdmitted())) stream.destroy()
    } catch (error) {
      log.warn({ err: error }, 'access of a stream reader could not be checked')
    } finally {
      asking = false
    }
  }
  const stop = timers.every(admissionPrecisionMs, () => void look())
  stream.once('close', stop)
}
