import { AppError } from '../../contract/ground/errors.js'
import { messageOf } from '../../lib/text/message-of.js'
import { codeOf, isUnavailable, StoreChanged, StoreInUse, StoreRefused } from '../faults.js'
import { type PostgresSettings, placeOf } from './settings.js'
import { tlsRemedy } from './tls.js'

const retryAfterSeconds = 2
/** Codes of sockets, and of `pg` itself, which has none for a lost connection. */
const lostCodes =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOENT|08...|57P0.|53300|55P03|25P03)$/u
const lostTexts =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|timeout exceeded when trying to connect)/u
/** Wrong names and passwords: another try would fail as well. */
const refusedCodes = /^(?:28...|3D000|3F000|42501|ENOTFOUND|ERR_INVALID_URL)/u

/** Returns whether the server cannot be reached, or ended the connection. */
export function isLost(error: unknown): boolean {
  return lostCodes.test(codeOf(error)) || lostTexts.test(reasonOf(error))
}

/** Returns whether an unavailable server ended its connection; others may only have locked what it needs. */
export function endsConnection(error: unknown): boolean {
  return isUnavailable(error) && !isLocked(causeOf(error))
}

/** Returns whether a connection was gone, or not to be had in time, so that the next may serve the read. */
export function wasDropped(error: unknown): boolean {
  const cause = causeOf(error)
  return (
    isUnavailable(error) &&
    (/^(?:ECONNRESET|EPIPE|57P0.)$/u.test(codeOf(cause)) || isEnded(cause) || wasLate(cause))
  )
}

/** Returns whether an attempt to connect took too long. */
export function wasLate(error: unknown): boolean {
  return /^timeout expired/u.test(messageOf(error))
}

function isEnded(cause: unknown): boolean {
  return /^(?:Connection terminated|Client has encountered a connection error)/u.test(messageOf(cause))
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown } | null)?.cause
}

/** Returns whether a transaction lost against another one, and may succeed if it is run again. */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/u.test(codeOf(error))
}

/** Returns whether another release changed a table since this connection planned its statement. */
export function isOutdated(error: unknown): boolean {
  const cause = isUnavailable(error) ? causeOf(error) : error
  return codeOf(cause) === '0A000' && /^cached plan must not change/u.test(messageOf(cause))
}

/** Returns whether the server accepts no changes by this connection. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006'
}

/** Returns whether the server knows no such database, role or password. */
function isRefused(error: unknown): boolean {
  return refusedCodes.test(codeOf(error))
}

/**
 * Returns the error for callers: a lost connection becomes `storage_unavailable`, a value that no index can
 * contain `validation_failed`.
 */
export function faultOf(error: unknown): unknown {
  if (codeOf(error) === '54000') return tooLong(error)
  if (isOutdated(error)) return outdated(error)
  return isLost(error) ? unavailable(reasonOf(error), error) : error
}

function tooLong(cause: unknown): AppError {
  return new AppError(
    'validation_failed',
    'a project, path, address or name is too long for the database server, which indexes up to 2,600 bytes: shorten it',
    undefined,
    { cause },
  )
}

function outdated(cause: unknown): AppError {
  return answer('another release changed the tables; nothing was changed: try again shortly', cause)
}

/** Returns the error of an attempt to open a connection: one that is refused will be refused again. */
export function openingFault(error: unknown, to: PostgresSettings): unknown {
  const remedy = tlsRemedy(error)
  if (remedy === undefined && !isRefused(error)) return faultOf(error)
  const how = remedy === undefined ? messageOf(error) : `${messageOf(error)}; ${remedy}`
  return new StoreRefused(`${placeOf(to)}: ${how}`, { cause: error })
}

/** Returns the error of an attempt to connect again. */
export function reconnectFault(error: unknown): unknown {
  if (error instanceof StoreInUse || error instanceof StoreChanged) return answer(error.message, error)
  return isUnavailable(error) ? error : unavailable(reasonOf(error), error)
}

/** The answer while the database is gone. */
function unavailable(reason: string, cause?: unknown): AppError {
  return answer(
    `the database server does not answer (${reason}); nothing was changed, and the daemon connects again by itself: try again shortly`,
    cause,
  )
}

/** The answer when the connection was lost while the server saved. */
export function undecided(cause: unknown): AppError {
  const error = answer(
    'the connection to the database server was lost while it saved, and nobody knows yet whether the change is there: look before you repeat it; a memory that is saved again is not stored twice',
    cause,
  )
  undecidedErrors.add(error)
  return error
}

const undecidedErrors = new WeakSet<Error>()

/** Returns whether a connection was lost and nothing was changed, so that another one may do the work. */
export function wasUndone(error: unknown): boolean {
  return endsConnection(error) && !undecidedErrors.has(error as Error)
}

/** The answer when other daemons did not let this one write in time. */
export function outwaited(cause: unknown): AppError {
  return answer(
    'other daemons on this database write without a pause; nothing was changed: try again shortly',
    cause,
  )
}

/** Returns whether a lock was not to be had in time. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

function answer(message: string, cause: unknown): AppError {
  const headers = { 'retry-after': String(retryAfterSeconds) }
  return new AppError('storage_unavailable', message, undefined, { cause, headers })
}

/** Several addresses of a server fail together; the first one says why. */
function reasonOf(error: unknown): string {
  const isMany = error instanceof AggregateError && error.errors.length > 0
  return isMany ? reasonOf(error.errors[0]) : messageOf(error)
}
