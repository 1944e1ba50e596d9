import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'

/**
 * Rejects compressed bodies: nothing decompresses them, so JSON would look malformed, and uploads would be
 * stored compressed.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers
    done(encoding === '' || encoding.toLowerCase() === 'identity' ? null : encoded(encoding), payload)
  })
}

function encoded(encoding: string): AppError {
  return new AppError(
    'unsupported_media_type',
    `Content-Encoding ${quoted(encoding)} is not supported; send the body uncompressed`,
    undefined,
    { headers: { 'accept-encoding': 'identity' } },
  )
}
