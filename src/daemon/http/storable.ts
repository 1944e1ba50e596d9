import { AppError, type ErrorDetail } from '../../contract/errors.js'

const maxDepth = 100

/**
 * Refuses what could only be half stored: NUL, lone surrogates, and nesting that no honest client sends
 * (contract, conventions).
 * @throws AppError `validation_failed` naming each place.
 */
export function assertStorable(value: unknown, where: string): void {
  const details: ErrorDetail[] = []
  const pending: { value: unknown; path: string; depth: number }[] = [{ value, path: where, depth: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: current, path, depth } = next
    if (typeof current === 'string') {
      const fault = faultOf(current)
      if (fault) details.push({ path, message: fault })
    } else if (typeof current === 'object' && current !== null) {
      if (depth >= maxDepth)
        throw new AppError('validation_failed', `${where} is nested more than ${maxDepth} levels deep`)
      for (const [key, child] of Object.entries(current)) {
        const fault = faultOf(key)
        if (fault) details.push({ path, message: `a key ${fault}` })
        pending.push({ value: child, path: path ? `${path}.${key}` : key, depth: depth + 1 })
      }
    }
  }
  if (details.length > 0)
    throw new AppError('validation_failed', `${details[0]?.path || where} ${details[0]?.message}`, details)
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character'
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair'
}
