import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { EndpointShape } from '../../../contract/ground/endpoint.js'
import { AppError } from '../../../contract/ground/errors.js'
import { linesContentType } from '../../../contract/operations/transfer.js'
import { isUtf8, notUtf8 } from './large-bodies.js'

/** Hands bodies of JSON Lines on unread, to the endpoints that take them. */
export function acceptLines(app: FastifyInstance): void {
  app.addContentTypeParser(linesContentType, async (request: FastifyRequest, body: Readable) => {
    if (!isUtf8(request)) throw notUtf8()
    const { endpoint } = request.routeOptions.config
    if (endpoint?.lines) return body
    throw new AppError('unsupported_media_type', 'send the body as application/json')
  })
}

/** @returns the body as a stream where the endpoint takes lines. @throws AppError `unsupported_media_type` for any other body. */
export function lineBody({ lines }: EndpointShape, request: FastifyRequest): Readable | undefined {
  if (!lines) return undefined
  if (request.headers['content-type']?.startsWith(lines.contentType)) return request.body as Readable
  throw new AppError('unsupported_media_type', `send the body as ${lines.contentType}`)
}
