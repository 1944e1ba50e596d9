import test from 'ava'
import { z } from 'zod'
import { endpoint, type Outcomes } from '../../../../../src/contract/ground/endpoint.js'
import { bind, route } from '../../../../../src/daemon/platform/http/bind.js'
import { openApp } from '../../../../helpers/bare-app.js'
import { servingDaemon } from '../../../../helpers/serving-daemon.js'

const outcomes: Outcomes = { done: [200], gone_fishing: [409, 'the pond is closed; come back in spring'] }

/** Calls an endpoint with this table that returns the given status. */
async function answerOf(status: string, table: Outcomes | undefined) {
  const app = openApp()
  const shape = endpoint({
    method: 'POST',
    path: '/pond',
    summary: 'A pond',
    permission: 'recall',
    mutates: false,
    response: z.object({ status: z.string() }),
    ...(table && { outcomes: table }),
  })
  const daemon = servingDaemon()
  bind(
    app,
    async () => daemon,
    route(shape, async () => ({ status })),
  )
  const reply = await app.inject({ method: 'POST', url: '/pond' })
  return { code: reply.statusCode, body: reply.json() }
}

test('a status word is answered with the code and sentence of its table', async t => {
  t.deepEqual(await answerOf('done', outcomes), { code: 200, body: { status: 'done' } })
  t.deepEqual(await answerOf('gone_fishing', outcomes), {
    code: 409,
    body: { status: 'gone_fishing', code: 'gone_fishing', error: 'the pond is closed; come back in spring' },
  })
})

test('a status word missing in the table is an internal error', async t => {
  t.like(await answerOf('lost', outcomes), { code: 500, body: { code: 'internal' } })
  t.like(await answerOf('toString', outcomes), { code: 500, body: { code: 'internal' } })
})

test('without a table, status is an ordinary field', async t => {
  t.deepEqual(await answerOf('lost', undefined), { code: 200, body: { status: 'lost' } })
})
