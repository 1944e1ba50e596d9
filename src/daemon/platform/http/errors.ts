import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, type ErrorBody, type ErrorCode } from '../../../contract/ground/errors.js'
import { remedyOf, storageFault } from '../../../lib/files/storage-fault.js'
import { faultWords } from '../../../lib/text/fault-words.js'
import { isDamage } from '../../../store/sqlite/connection/damage.js'

/** Errors that Fastify itself finds in a request. */
const frameworkErrors: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'the body is larger than this route takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'send the body as application/json'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'the body is not valid JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'the body is empty'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'validation_failed',
    'the body does not have the length its header says',
  ],
  FST_ERR_BAD_URL: ['validation_failed', 'the path is not a valid URL'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'the path is too long'],
}

/** Of a body that is too large, read and thrown away, which takes no memory. */
const drainedBytes = 64 * 1024 * 1024

/** Answers every error as JSON (rules.md#conventions). */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // Whoever is still sending when the connection is closed sees that, and not the answer: Node reads on where it stays open.
  if (isTooLarge(error) && Number(request.headers['content-length']) <= drainedBytes)
    reply.removeHeader('connection')
  answerKnown(toAppError(error, request), request, reply)
}

export function answerKnown(known: AppError, request: FastifyRequest, reply: FastifyReply): void {
  for (const [header, value] of Object.entries(known.headers)) reply.header(header, value)
  void reply.code(known.status).send(bodyOf(known, request.id))
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

/** The error as it may be shown to the caller: an unexpected one is logged, and replaced by a general message. */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  const known = expected(error)
  if (known) {
    if (denials.has(known.code)) auditDenial(known.code, request)
    return known
  }
  const fault = storageFault(error)
  if (fault) {
    request.log.warn({ err: error, requestId: request.id }, 'no room for a write')
    return new AppError(
      'insufficient_storage',
      `${fault}: nothing was changed; ${remedyOf(fault)}; reads go on meanwhile`,
    )
  }
  request.log.error({ err: error, requestId: request.id }, 'request failed')
  if (isDamage(error))
    return new AppError('internal', 'the database is damaged; memory doctor says what there is to do')
  return new AppError(
    'internal',
    `something went wrong here; the log line of request ${request.id} says what`,
  )
}

const denials: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'forbidden',
  'scope_violation',
  'forbidden_host',
  'forbidden_origin',
  'rate_limited',
])

/** Who was refused what, without anything that the request says about itself. */
function auditDenial(
  code: ErrorCode,
  { log, access, socket, method, routeOptions, id }: FastifyRequest,
): void {
  log.warn(
    {
      audit: 'denied',
      code,
      actor: access?.actor,
      peer: socket.remoteAddress,
      method,
      route: routeOptions.url,
      requestId: id,
    },
    'request denied',
  )
}

/**
 * @param field what the value is, where the schema is that of one value
 * @throws AppError `validation_failed` with one detail a fault.
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown, field?: string): z.infer<S> {
  const result = schema.safeParse(value, { error: faultWords })
  if (result.success) return result.data as z.infer<S>
  const details = result.error.issues
    .slice(0, 20)
    .map(({ path, message }) => ({ path: [...(field ? [field] : []), ...path].join('.'), message }))
  const [first] = details
  const text = first
    ? `${first.path ? `${first.path}: ` : ''}${first.message}`
    : z.prettifyError(result.error)
  throw new AppError('validation_failed', text, details)
}

function expected(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const framework = code ? frameworkErrors[code] : undefined
  if (framework) return new AppError(...framework)
  // A parser may throw with a message of its own; status 400 still means that the request is at fault, not the daemon.
  return statusCode === 400 ? new AppError('invalid_json', 'the body is not valid JSON') : undefined
}

function bodyOf({ code, message, details, fields }: AppError, requestId: string): ErrorBody {
  return {
    ...fields,
    error: message,
    code,
    ...(details !== undefined && { details }),
    ...(code === 'internal' && { requestId }),
  }
}
