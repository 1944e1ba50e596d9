import { AppError } from '../contract/ground/errors.js'

/** A database that can't be used until somebody changes it, or the settings. */
export class StoreRefused extends Error {
  override name = 'StoreRefused'
}

/** A daemon elsewhere writes to this database. */
export class StoreInUse extends Error {
  override name = 'StoreInUse'
}

/** The database changed while its daemon was cut off from it, so what the daemon knows may be out of date. */
export class StoreChanged extends Error {
  override name = 'StoreChanged'
}

/** Returns whether the database reports a damaged page, or a file that is not a database. */
export function isDamage(error: unknown): boolean {
  return /^(?:SQLITE_(?:CORRUPT|NOTADB)|XX00[12]$)/u.test(codeOf(error))
}

/** Returns whether an error means, in the words of callers, that the database server cannot be reached. */
export function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'storage_unavailable'
}

/** Returns whether a unique constraint on content or idempotency key refused a write. */
export function isDuplicate(error: unknown): boolean {
  return /^(?:SQLITE_CONSTRAINT_UNIQUE|23505)$/u.test(codeOf(error))
}

/** Returns the code of an error of a driver or the system; empty without one. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
