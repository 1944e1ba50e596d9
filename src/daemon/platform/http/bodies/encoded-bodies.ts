import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../../contract/ground/errors.js'
import { quoted } from '../../../../lib/text/clip.js'

/**
 * Refuses bodies that say they are compressed: nothing here unpacks them, so that JSON would be called malformed, and what
 * is kept byte for byte (uploads of transcripts) would be kept as it was packed.
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
    `Content-Encoding ${quoted(encoding)} is not taken; send the body as it is`,
    undefined,
    { headers: { 'accept-encoding': 'identity' } },
  )
}
