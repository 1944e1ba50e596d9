import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'

test('private spans of a save are dropped, and a save with nothing else is refused (rules.md 1.1.1)', async t => {
  const { call } = await startDaemon(t)
  const { body } = await call('POST /api/memory/remember', {
    body: {
      content: 'the pin <private>SECRET</private> is known',
      structured: { hints: ['where<private>SECRET</private> is it', '<private>SECRET</private>'] },
    },
  })
  t.is(body.content, 'the pin is known')
  t.is(body.hints_written, 1)
  const record = await call('GET /api/memory/:id', { params: { id: body.id } })
  t.notRegex(JSON.stringify(record.body), /SECRET/)
  const nothing = await call('POST /api/memory/remember', { body: { content: '<private>SECRET</private>' } })
  t.is(nothing.status, 400)
  t.is((await call('GET /api/memories')).body.stats.total, 1)
})

test('new content drops private spans, and is refused if it is entirely private (rules.md 1.1.1)', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('the pin is old')
  // Only content of non-episodic memories can change.
  await daemon.daemon.store.tables.memories.update(id, 1, { memory_kind: 'semantic' })
  const patch = (content: string) =>
    daemon.call('PATCH /api/memory/:id', { params: { id }, body: { reason: 'r', content } })
  t.is((await patch('the pin <private>SECRET</private> is new')).status, 200)
  const record = await daemon.call('GET /api/memory/:id', { params: { id } })
  t.is(record.body.content, 'the pin is new')
  t.is((await patch('<private>SECRET</private>')).status, 400)
  const { body } = await daemon.call('POST /api/memory/modify', {
    body: {
      reason: 'r',
      patches: [
        { id, content: '<private>SECRET</private>' },
        { id, pinned: true },
      ],
    },
  })
  t.deepEqual(
    body.results.map(({ status }) => status),
    ['invalid_request', 'updated'],
  )
})

test('a save says which private parts it left out, and keeps a tag in code', async t => {
  const { call } = await startDaemon(t)
  const save = async (content: string) =>
    (await call('POST /api/memory/remember', { body: { content, structured: { hints: [content] } } })).body
  const cut = await save('the port is 9123 <private>for Ann</private>')
  t.is(cut.content, 'the port is 9123')
  t.deepEqual(cut.privateParts, { parts: 2, characters: 52, unclosed: 0 })
  const mention = 'the `<private>` tag hides text until `</private>`'
  t.like(await save(mention), { content: mention, privateParts: undefined })
  const open = 'The docs explain the <private> tag: Ann owns that page.'
  t.like(await save(open), { content: open, privateParts: { parts: 0, characters: 0, unclosed: 2 } })
})
