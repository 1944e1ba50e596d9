import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('concurrent saves are answered separately: one row per text, and a failure affects only itself (rules.md 1.1 and 4.3)', async t => {
  const { call } = await startDaemon(t)
  const saves = Array.from({ length: 40 }, (_, number) =>
    call('POST /api/memory/remember', {
      // Every fifth save repeats the one before it, every seventh supersedes a missing memory.
      body: {
        content: `the fact of number ${number % 5 === 4 ? number - 1 : number}`,
        ...(number % 7 === 6 && { supersedes: '0190a8c0-0000-7000-8000-000000000000' }),
      },
    }),
  )
  const replies = await Promise.all(saves)
  const refused = replies.filter(({ status }) => status === 404)
  t.is(refused.length, 5)
  const saved = replies.filter(({ status }) => status === 200)
  t.is(saved.length, 35)
  const ids = new Set(saved.map(({ body }) => body.id))
  const { body: list } = await call('GET /api/memories', { query: { limit: 100 } })
  t.deepEqual(list.memories.map(({ id }) => id).sort(), [...ids].sort())
  t.is(saved.filter(({ body }) => !body.deduped).length, ids.size)
  for (const id of ids) {
    const { body } = await call('GET /api/memory/:id/history', { params: { id } })
    t.deepEqual(
      body.history.map(({ event }) => event),
      ['created'],
    )
  }
})
