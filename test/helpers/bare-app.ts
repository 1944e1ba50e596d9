import fastify, { type FastifyInstance } from 'fastify'
import { fullAccess } from '../../src/daemon/ground/visibility/access.js'
import { answerError } from '../../src/daemon/platform/http/errors.js'
import { withoutJsonSchema } from '../../src/daemon/platform/http/without-json-schema.js'

/** An HTTP application without anything of a daemon's: what is tested with it adds its part. */
export function bareApp(): FastifyInstance {
  return fastify({ schemaController: { compilersFactory: withoutJsonSchema } })
}

/** One that lets everybody do everything, and answers errors as a daemon does. */
export function openApp(): FastifyInstance {
  const app = bareApp()
  app.decorateRequest('access', null)
  app.addHook('onRequest', async request => {
    request.access = fullAccess
  })
  app.setErrorHandler(answerError)
  return app
}
