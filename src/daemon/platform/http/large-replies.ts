import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isLarge } from '../../../lib/concurrency/every-few-ms.js'

/**
 * Sends replies of megabytes as bytes, made in a turn of their own: writing the JSON and encoding it take some 15 ms each
 * for 10 MiB, and the socket would encode it in the turn that wrote it.
 */
export function sendLargeRepliesInTurns(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (typeof payload === 'string' && isLarge(payload))
      void nextTurn().then(() => done(null, Buffer.from(payload)))
    else done(null, payload)
  })
}
