import test from 'ava'
import { startDaemon, type TestDaemonOptions, temporaryWorkspace } from '../../helpers/daemon.js'
import { spawnDaemon, until } from '../../helpers/daemon-process.js'
import { letterCountReply, sendJson, startHttpFake } from '../../helpers/embedding-fakes.js'

const inThread = { environment: { SERVICE_INDEX_THREAD: 'always' } }
const memories = [
  'Deployments run every Tuesday from the release branch',
  'The release branch is cut on Monday evening',
  'The cafeteria serves lunch at noon',
  'Postgres listens on port 5433 on the staging machine',
  'Alice prefers tabs, Bob prefers spaces',
  'Ünïcode und Umlaute: Füchse springen über Zäune',
]
const queries = ['when do we release', 'staging port', 'Füchse', 'who likes tabs', 'lunch', 'nothing like it']

test('the index in a thread gives the same answers as in the main thread, vectors included', async t => {
  const provider = await startHttpFake(t, (request, response) =>
    sendJson(response, 200, letterCountReply(request)),
  )
  const baseUrl = `${provider.url}/v1`
  // The clock never advances, so no embed job is ever due, and every save waits for its vector.
  const embedding = { provider: 'openai', model: 'letters', dimensions: 26, baseUrl, deadlineMs: 60_000 }
  const clock = () => new Date('2026-01-01T12:00:00Z')
  const answers = async (options: TestDaemonOptions) => {
    const { call, remember } = await startDaemon(t, { settings: { embedding }, clock, ...options })
    for (const content of memories) await remember(content, { sessionId: 'one' })
    await until(async () => (await call('GET /api/status')).body.embedding.withoutVector === 0 || undefined)
    const replies = []
    for (const query of queries) {
      const { body } = await call('POST /api/memory/recall', { body: { query, explain: true } })
      replies.push({
        method: body.method,
        completeness: body.meta.vectorCompleteness,
        rows: body.results.map(({ content, score, explain }) => ({ content, score, explain })),
      })
    }
    return replies
  }
  const [here, there] = [
    await answers({ environment: { SERVICE_INDEX_THREAD: 'never' } }),
    await answers(inThread),
  ]
  t.deepEqual(there, here)
  t.is(here[0]!.method, 'hybrid')
})

test('with the index in a thread, changes are searchable at once, and a restart finds them', async t => {
  const workspace = temporaryWorkspace(t)
  const { call, remember, recall, stop } = await startDaemon(t, { ...inThread, workspace })
  const kept = await remember('The fox jumps over the fence')
  const changed = await remember('The badger sleeps')
  const gone = await remember('The fox is gone')
  const reason = 'it was wrong'
  const patched = await call('PATCH /api/memory/:id', {
    params: { id: changed },
    body: { tags: ['forest'], reason },
  })
  const deleted = await call('DELETE /api/memory/:id', { params: { id: gone }, query: { reason } })
  t.deepEqual([patched.status, deleted.status], [200, 200])
  t.deepEqual(await recall('fox'), [kept])
  t.deepEqual(await recall('sleeps', { tags: ['forest'] }), [changed])
  const { body } = await call('GET /api/status')
  t.like(body.index, { state: 'ready', documents: 2 })
  await stop()
  const again = await startDaemon(t, { ...inThread, workspace })
  t.deepEqual(await again.recall('fox'), [kept])
  t.deepEqual(await again.recall('sleeps', { tags: ['forest'] }), [changed])
})

test('the built daemon can keep its index in a thread, and shuts down cleanly', async t => {
  const workspace = temporaryWorkspace(t)
  const daemon = spawnDaemon(t, workspace, { SERVICE_INDEX_THREAD: 'always' })
  const { url } = await daemon.ready()
  const asked = async (url: string, path: string, body: object) =>
    (
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json() as Promise<{ count: number }>
  await asked(url, '/api/memory/remember', { content: 'The fox jumps over the fence' })
  const { count } = await asked(url, '/api/memory/recall', { query: 'fox' })
  t.is(count, 1)
  daemon.child.kill('SIGTERM')
  t.is(await daemon.exited, 0)
  t.log('the next daemon first starts its thread, which reads the snapshot')
  const next = spawnDaemon(t, workspace, { SERVICE_INDEX_THREAD: 'always' })
  const again = await asked((await next.ready()).url, '/api/memory/recall', { query: 'fox' })
  t.is(again.count, 1)
  next.child.kill('SIGTERM')
  t.is(await next.exited, 0)
})
