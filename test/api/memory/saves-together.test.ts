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

test('simultaneous saves of new and repeated texts, keys and sources give what they give one by one', async t => {
  const bodies = Array.from({ length: 24 }, (_, save) => save % 16).map(number => ({
    content: `the crane of number ${number}`,
    project: `project ${number % 3}`,
    agentId: number % 4 === 3 ? 'heron' : undefined,
    structured: number % 5 === 0 ? { hints: [`winch ${number}`, 'hoist'] } : undefined,
    idempotencyKey: number % 6 === 5 ? `key ${number}` : undefined,
    sourceId: number % 7 === 2 ? `source ${number}` : undefined,
  }))
  const told = async (atOnce: boolean) => {
    const { call } = await startDaemon(t)
    const save = (body: (typeof bodies)[number]) => call('POST /api/memory/remember', { body })
    const replies: Awaited<ReturnType<typeof save>>[] = []
    if (atOnce) replies.push(...(await Promise.all(bodies.map(save))))
    else for (const body of bodies) replies.push(await save(body))
    const ofReply = async ({ status, body: { id, content, deduped } }: (typeof replies)[number]) => {
      const { body: record } = await call('GET /api/memory/:id', { params: { id } })
      const { body: past } = await call('GET /api/memory/:id/history', { params: { id } })
      const { hints, agent_id, project, sourcePath, idempotencyKey } = record
      const events = past.history.map(({ event, reason }) => `${event}: ${reason}`)
      return { status, content, deduped, hints, agent_id, project, sourcePath, idempotencyKey, events }
    }
    const order = (one: object) => JSON.stringify(one)
    return (await Promise.all(replies.map(ofReply))).sort((one, other) =>
      order(one) < order(other) ? -1 : 1,
    )
  }
  const atOnce = await told(true)
  t.deepEqual(atOnce, await told(false))
  t.is(atOnce.filter(({ deduped }) => deduped).length, 8)
})
