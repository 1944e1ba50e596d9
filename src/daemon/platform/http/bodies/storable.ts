import { AppError, type ErrorDetail } from '../../../../contract/ground/errors.js'
import { atOnce } from '../../../../lib/concurrency/every-few-ms.js'
import { maxDepth, tooDeep } from './json-shape.js'

/** Values checked before other work gets a turn. */
const stepValues = 2000
/** At most so many faults are listed in the reply. */
const maxDetails = 100

interface Place {
  value: unknown
  /** Undefined for the value itself. */
  parent: Place | undefined
  key: string
  depth: number
}

/**
 * Refuses what could only be half stored: NUL, lone surrogates, and nesting that no honest client sends
 * (rules.md#conventions).
 * @throws AppError `validation_failed` naming each place.
 */
export function assertStorable(value: unknown, where: string): void {
  atOnce(checkStorable(value, where))
}

/** The steps of `assertStorable`, for values that are too large for one turn of the event loop. */
export function* checkStorable(value: unknown, where: string): Generator<undefined, void> {
  const details: ErrorDetail[] = []
  const pending: Place[] = [{ value, parent: undefined, key: where, depth: 0 }]
  let seen = 0
  for (let place = pending.pop(); place; place = pending.pop()) {
    const { value: current, depth } = place
    if (typeof current === 'string') note(details, place, faultOf(current))
    else if (typeof current === 'object' && current !== null) {
      if (depth >= maxDepth) throw tooDeep(where || 'the body')
      for (const key of Object.keys(current)) {
        const fault = faultOf(key)
        note(details, place, fault && `a key ${fault}`)
        pending.push({ value: current[key as never], parent: place, key, depth: depth + 1 })
      }
    }
    if (++seen % stepValues === 0) yield
  }
  if (details.length === 0) return
  throw new AppError('validation_failed', `${details[0]?.path || where} ${details[0]?.message}`, details)
}

function note(details: ErrorDetail[], place: Place, fault: string | undefined): void {
  if (fault && details.length < maxDetails) details.push({ path: pathOf(place), message: fault })
}

function pathOf({ parent, key }: Place): string {
  const before = parent ? pathOf(parent) : ''
  return before ? `${before}.${key}` : key
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character'
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair'
}
