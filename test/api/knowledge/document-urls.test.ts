import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { startHttpFake } from '../../helpers/embedding-fakes.js'
import { addDocument, settledDocument } from '../../helpers/read-documents.js'

const allowed = { settings: { documents: { allowPrivateHosts: true } } }

test('a page is fetched and indexed', async t => {
  const server = await startHttpFake(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/markdown' }).end('# Cranes\n\nThe harbour crane is red.'),
  )
  const daemon = await startDaemon(t, allowed)
  const url = `${server.url}/cranes.md`
  const document = await addDocument(daemon, { source_type: 'url', url: `${url}#paint` })
  t.like(document, { status: 'done', source_url: url, content_type: 'text/markdown' })
  t.is((await daemon.recall('harbour crane')).length, 1)
})

test('a URL that is already active in the same agent and project is not added twice', async t => {
  const server = await startHttpFake(t, (_request, response) => response.end('The crane is red.'))
  const daemon = await startDaemon(t, allowed)
  const body = { source_type: 'url', url: `${server.url}/` } as const
  const one = await addDocument(daemon, body)
  const again = await daemon.call('POST /api/documents', { body })
  t.is(again.status, 200)
  t.deepEqual(again.body, { id: one.id, status: 'done', deduplicated: true })
  for (const other of [{ project: '/shop' }, { agentId: 'ada' }])
    t.not((await daemon.call('POST /api/documents', { body: { ...body, ...other } })).body.id, one.id)
  await daemon.call('DELETE /api/documents/:id', { params: { id: one.id }, query: { reason: 'again' } })
  t.not((await daemon.call('POST /api/documents', { body })).body.id, one.id)
})

test('parallel creations of one URL create one document', async t => {
  const server = await startHttpFake(t, (_request, response) => response.end('The crane is red.'))
  const daemon = await startDaemon(t, allowed)
  const body = { source_type: 'url', url: `${server.url}/` } as const
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => daemon.call('POST /api/documents', { body })),
  )
  t.is(new Set(replies.map(reply => reply.body.id)).size, 1)
  t.is(replies.filter(reply => reply.status === 201).length, 1)
})

test('a local address fails at once unless the settings allow it', async t => {
  const daemon = await startDaemon(t)
  const document = await addDocument(daemon, { source_type: 'url', url: 'http://127.0.0.1:1/' })
  t.is(document.status, 'failed')
  t.regex(document.error ?? '', /documents\.allowPrivateHosts/u)
})

test('permanent errors are tried once, temporary ones are retried', async t => {
  const answers = [503, 200]
  const server = await startHttpFake(t, ({ path }, response) =>
    response.writeHead(path === '/gone' ? 404 : (answers.shift() ?? 200)).end('The crane is red.'),
  )
  const daemon = await startDaemon(t, allowed)
  const gone = await addDocument(daemon, { source_type: 'url', url: `${server.url}/gone` })
  t.like(gone, { status: 'failed', error: `${server.url}/gone answered 404` })
  t.is(server.requests.length, 1)
  const flaky = await addDocument(daemon, { source_type: 'url', url: `${server.url}/flaky` })
  t.is(flaky.status, 'done')
  t.is(server.requests.length, 3)
})

test('a failed URL is fetched again when it is added again', async t => {
  const answers = [404, 200]
  const server = await startHttpFake(t, (_request, response) =>
    response.writeHead(answers.shift() ?? 200).end('The crane is red.'),
  )
  const daemon = await startDaemon(t, allowed)
  const body = { source_type: 'url', url: `${server.url}/` } as const
  const failed = await addDocument(daemon, body)
  const created = await daemon.call('POST /api/documents', { body })
  t.like(created.body, { id: failed.id, status: 'queued' })
  t.like(await settledDocument(daemon, failed.id), { status: 'done', error: null })
})
