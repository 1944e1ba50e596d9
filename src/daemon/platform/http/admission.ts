import type { FastifyRequest } from 'fastify'
import { AppError } from '../../../contract/ground/errors.js'

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
