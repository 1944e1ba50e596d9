import { AppError } from '../../../contract/ground/errors.js'
import type { Scope } from '../../../contract/platform/auth.js'
import { quoted } from '../../../lib/text/clip.js'
import type { AccessScope } from './access.js'

/**
 * Refuses a request for a value outside its credential's scope (security.md 5.4).
 * @throws AppError `scope_violation`
 */
export function assertInScope(
  scope: AccessScope,
  field: keyof Scope,
  value: string | null | undefined,
): void {
  const confined = scope[field]
  if (confined === undefined || value === null || value === undefined || value === confined) return
  if (field === 'project' && scope.projectKeys?.includes(value)) return
  throw new AppError(
    'scope_violation',
    `this credential is limited to another ${field} than ${quoted(value)}`,
  )
}
