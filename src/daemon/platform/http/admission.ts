import { AppError } from '../../../contract/ground/errors.js'

/** Lets a bounded number of requests in at a time; further ones are refused at once, none waits. */
export interface Admission {
  max: number
  /** @returns call it when the request ends (a second call does nothing); undefined when all places are taken. */
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

/** @returns call it when the request ends. @throws AppError `overloaded` when all places are taken. */
export function enterOrRefuse(admission: Admission, what: string): () => void {
  const leave = admission.enter()
  if (leave) return leave
  const message = `${admission.max} ${what} are being handled; try again shortly`
  throw new AppError('overloaded', message, undefined, { headers: { 'retry-after': '1' } })
}
