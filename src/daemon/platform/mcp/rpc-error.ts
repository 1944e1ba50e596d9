import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../../contract/ground/errors.js'
import { toAppError } from '../http/errors.js'

/** JSON-RPC's own numbers where it has one for a fault; the rest is "server error". */
const numbers: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32700,
  validation_failed: -32600,
  internal: -32603,
}
const serverError = -32000

/** Answers whatever goes wrong on `/mcp` as a JSON-RPC error, with the HTTP status that it has elsewhere (mcp.md 7). */
export function answerRpcError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, status, headers } = toAppError(error, request)
  for (const [header, value] of Object.entries(headers)) reply.header(header, value)
  void reply.code(status).send({
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: { code: numbers[code] ?? serverError, message, data: { code, requestId: request.id } },
  })
}

/** The id of the message that could not be served; null where none was read, as JSON-RPC has it. */
function idOf(body: unknown): string | number | null {
  const id = (body as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
