import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('a memory gets back a text that it had replaced, as a new memory at the end of its chain (rules.md 4.3)', async t => {
  const { call, remember, recall } = await startDaemon(t)
  const first = await remember('The relay listens on port 9123')
  const replace = async (content: string, supersedes: string) =>
    (await call('POST /api/memory/remember', { body: { content, supersedes, reason: 'edited' } })).body
  const second = await replace('The relay listens on port 9200', first)
  const third = await replace('The relay listens on port 9123', second.id)
  t.false(third.deduped)
  t.not(third.id, first)
  t.is((await recall('relay listens port'))[0], third.id)
  const chain = await Promise.all(
    [first, second.id, third.id].map(
      async id => (await call('GET /api/memory/:id', { params: { id } })).body,
    ),
  )
  t.deepEqual(
    chain.map(({ superseded_by }) => superseded_by),
    [second.id, third.id, null],
  )
  t.is(await remember('The relay listens on port 9123'), third.id, 'the current memory has the text')
  const again = await replace('The relay listens on port 9123', second.id)
  t.is(again.id, third.id, 'a retry answers the same')
})
