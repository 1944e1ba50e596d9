import { AppError, type ErrorDetail } from '../../../../contract/ground/errors.js'
import { runToEnd } from '../../../../lib/concurrency/every-few-ms.js'
import { maxDepth, tooDeep } from './json-shape.js'

/** Values checked before other work gets a turn. */
const stepValues = 2000
/** Limit of faults listed in the reply. */
const maxDetails = 100

interface ValueNode {
  value: unknown
  /** Undefined for the root value. */
  parent: ValueNode | undefined
  key: string
  depth: number
}

/**
 * Rejects values that could only be stored incompletely: NUL, lone surrogates, and nesting deeper than any
 * honest client sends (rules.md#conventions).
 * @throws AppError `validation_failed` naming each position
 */
export function assertStorable(value: unknown, where: string): void {
  runToEnd(checkStorable(value, where))
}

/** The steps of `assertStorable`, for values too large for one event loop turn. */
export function* checkStorable(value: unknown, where: string): Generator<undefined, void> {
  const details: ErrorDetail[] = []
  const pending: ValueNode[] = [{ value, parent: undefined, key: where, depth: 0 }]
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

function note(details: ErrorDetail[], place: ValueNode, fault: string | undefined): void {
  if (fault && details.length < maxDetails) details.push({ path: pathOf(place), message: fault })
}

function pathOf({ parent, key }: ValueNode): string {
  const before = parent ? pathOf(parent) : ''
  return before ? `${before}.${key}` : key
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  return text.isWellFormed() ? undefined : 'contains half of a surrogate pair'
}
