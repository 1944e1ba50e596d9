import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isLarge } from '../../../lib/concurrency/every-few-ms.js'

/**
 * Encodes replies of megabytes in an event loop turn of their own: serialising and encoding take some 15 ms
 * each for 10 MiB, and the socket would encode in the same turn.
 */
export function sendLargeRepliesInTurns(app: FastifyInstance): void {
  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (typeof payload === 'string' && isLarge(payload))
      void nextTurn().then(() => done(null, Buffer.from(payload)))
    else done(null, payload)
  })
}
