import fastify, { type FastifyInstance } from 'fastify'
import { fullAccess } from '../../src/daemon/ground/visibility/caller.js'
import { answerError } from '../../src/daemon/platform/http/errors.js'
import { withoutJsonSchema } from '../../src/daemon/platform/http/without-json-schema.js'

/** An HTTP application without any part of a daemon; tests add the part under test. */
export function bareApp(): FastifyInstance {
  return fastify({ schemaController: { compilersFactory: withoutJsonSchema } })
}

/** An application that permits everything and answers errors like a daemon. */
export function openApp(): FastifyInstance {
  const app = bareApp()
  app.decorateRequest('access', null)
  app.addHook('onRequest', async request => {
    request.access = fullAccess
  })
  app.setErrorHandler(answerError)
  return app
}
