import { AppError } from '../../../contract/ground/errors.js'

/** Lets a bounded number of requests in at a time; the others are told at once, nobody queues. */
export interface Admission {
  max: number
  /** @returns how to leave (once; more does nothing), undefined when it is full. */
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

/** @returns how to leave. @throws AppError `overloaded` when it is full. */
export function enterOrRefuse(admission: Admission, what: string): () => void {
  const leave = admission.enter()
  if (leave) return leave
  const message = `${admission.max} ${what} are being handled; try again shortly`
  throw new AppError('overloaded', message, undefined, { headers: { 'retry-after': '1' } })
}
