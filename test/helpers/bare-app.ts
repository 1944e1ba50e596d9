import fastify, { type FastifyInstance } from 'fastify'
import { withoutJsonSchema } from '../../src/daemon/platform/http/without-json-schema.js'

/** An HTTP application without anything of a daemon's: what is tested with it adds its part. */
export function bareApp(): FastifyInstance {
  return fastify({ schemaController: { compilersFactory: withoutJsonSchema } })
}
