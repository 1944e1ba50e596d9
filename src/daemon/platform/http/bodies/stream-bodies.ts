import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anyContentType, type EndpointShape } from '../../../../contract/ground/endpoint.js'
import { AppError } from '../../../../contract/ground/errors.js'
import { isUtf8, notUtf8Error } from './large-bodies.js'

/** Passes bodies of any type to a scope's routes unread. */
export function passBodiesOn(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (_request: FastifyRequest, body: Readable) => body)
}

/**
 * @returns the body as a stream if the endpoint takes one. @throws AppError `unsupported_media_type` for any
 * other body
 */
export function streamBody({ stream }: EndpointShape, request: FastifyRequest): Readable | undefined {
  if (!stream) return undefined
  // A request without a body gets an empty stream.
  if (stream.contentType === anyContentType)
    return request.body instanceof Readable ? request.body : Readable.from([])
  if (!request.headers['content-type']?.startsWith(stream.contentType))
    throw new AppError('unsupported_media_type', `send the body as ${stream.contentType}`)
  if (!isUtf8(request)) throw notUtf8Error()
  return request.body as Readable
}
