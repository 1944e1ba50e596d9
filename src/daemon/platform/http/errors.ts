import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, type ErrorBody, type ErrorCode } from '../../../contract/ground/errors.js'
import { remedyOf, storageFault } from '../../../lib/files/storage-fault.js'
import { faultWords } from '../../../lib/text/fault-words.js'
import { isDamage } from '../../../store/faults.js'

/** Errors that Fastify detects in a request. */
const frameworkErrors: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'the body is larger than this route accepts'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'send the body as application/json'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'the body is not valid JSON'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'the body is empty'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'validation_failed',
    'the length of the body differs from its content-length header',
  ],
  FST_ERR_BAD_URL: ['validation_failed', 'the path is not a valid URL'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'the path is too long'],
}

/** Bytes and time within which the rest of an oversized body is read and discarded. */
const drained = { bytes: 256 * 1024 * 1024, ms: 10_000 }

/** Answers every error as JSON (rules.md#conventions). */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (isTooLarge(error)) readOn(request.raw, reply)
  answerAppError(toAppError(error, request), request, reply)
}

/**
 * Keeps the connection open while a client still sends an oversized body: otherwise it sees a broken
 * connection instead of the answer (contract.md, "Bodies above 64 MiB").
 */
function readOn(body: IncomingMessage, reply: FastifyReply): void {
  const { socket } = body
  const end = socket.bytesRead + drained.bytes
  const close = () => socket.destroy()
  const timer = setTimeout(close, drained.ms)
  reply.removeHeader('connection')
  reply.raw.once('finish', () =>
    body.on('data', () => {
      if (socket.bytesRead > end) close()
    }),
  )
  const stop = () => clearTimeout(timer)
  body.once('end', stop)
  socket.once('close', stop)
}

export function answerAppError(known: AppError, request: FastifyRequest, reply: FastifyReply): void {
  for (const [header, value] of Object.entries(known.headers)) reply.header(header, value)
  void reply.code(known.status).send(bodyOf(known, request.id))
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
}

/** Converts an error for the caller: an unexpected one is logged and replaced with a general message. */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  const known = knownError(error)
  if (known) {
    if (denials.has(known.code)) auditDenial(known.code, request)
    return known
  }
  const fault = storageFault(error)
  if (fault) {
    request.log.warn({ err: error, requestId: request.id }, 'write failed for lack of disk space')
    return new AppError(
      'insufficient_storage',
      `${fault}: nothing was changed; ${remedyOf(fault)}; reading still works`,
    )
  }
  request.log.error({ err: error, requestId: request.id }, 'request failed')
  if (isDamage(error))
    return new AppError('internal', 'the database is damaged; run memory health for the next steps')
  return new AppError('internal', `internal error; the daemon log has the details of request ${request.id}`)
}

const denials: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'forbidden',
  'scope_violation',
  'forbidden_host',
  'forbidden_origin',
  'rate_limited',
])

/** Logs who was denied which route, without anything that the request claims about itself. */
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
 * @param field name of the value, when the schema describes a single value
 * @throws AppError `validation_failed` with one detail per fault
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

function knownError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  const framework = code ? frameworkErrors[code] : undefined
  if (framework) return new AppError(...framework)
  // Other parsers throw their own messages; status 400 still means that the request is at fault.
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
