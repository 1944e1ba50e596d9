import type { Permission } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Caller } from '../../ground/visibility/caller.js'

/** Nobody hands out more than they hold: a narrowed admin key makes no full one. @throws AppError `forbidden` */
export function assertGrantable({ access }: Caller, wanted: readonly Permission[]): void {
  const missing = wanted.filter(permission => !access.permissions.has(permission))
  if (missing.length === 0) return
  throw new AppError('forbidden', `this credential lacks ${missing.join(', ')} and can't hand it out`)
}
