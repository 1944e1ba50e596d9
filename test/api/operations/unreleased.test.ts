import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { unreleasedTime, unreleasedWorkspace } from '../../helpers/unreleased.js'

const clock = (): Date => unreleasedTime

test('a workspace of an unreleased build keeps all of its data, and its backup can be restored (operations.md 4.4)', async t => {
  const workspace = unreleasedWorkspace(t)
  const before = await startDaemon(t, { workspace, clock })
  const { body: ready } = await before.call('GET /health/ready')
  t.like(ready.checks.migrations, { ok: true, detail: 'schema 17' })
  await assertMemories(t, before)
  await assertOtherRows(t, before)

  const [backup] = (await before.call('GET /api/backup')).body.backups
  const params = { id: backup!.id }
  const { body: verified } = await before.call('POST /api/backup/:id/verify', { params })
  t.like(verified, { ok: true, problems: [], memories: 8 })
  await before.remember('The crane was sold.')
  await before.call('POST /api/backup/:id/restore', { params, body: { confirm: true } })
  await before.stop()

  const after = await startDaemon(t, { workspace, clock })
  await assertMemories(t, after)
  await assertOtherRows(t, after)
})

async function assertMemories(t: ExecutionContext, { call }: TestDaemon): Promise<void> {
  const { body: listed } = await call('GET /api/memories')
  t.deepEqual(listed.memories.map(({ content }) => content).sort(), [
    'Ada prefers small commits with a reason in the body.',
    'Deploys of the heron service go out on Tuesdays before noon.',
    'The heron queue holds at most 500 messages.',
    'The heron queue holds at most 800 messages.',
    'The heron service writes its queue to Postgres, not to Redis.',
  ])
  const best = async (query: string, agentId: string): Promise<string | undefined> => {
    const { body } = await call('POST /api/memory/recall', { body: { query, agentId } })
    return body.results[0]?.content
  }
  t.regex((await best('heron queue Postgres', 'default')) ?? '', /not to Redis/)
  t.regex((await best('alarm named beak', 'default')) ?? '', /the queue is full/)
  t.regex((await best('crane project May', 'ben')) ?? '', /starts in May/)
  t.is(await best('crane project May', 'default'), undefined)
  const { body: forgotten } = await call('GET /api/memories', { query: { deleted: true } })
  t.deepEqual(
    forgotten.memories.map(({ content }) => content),
    ['The pier closes at eight.'],
  )
}

async function assertOtherRows(t: ExecutionContext, { call, daemon }: TestDaemon): Promise<void> {
  const { documents } = (await call('GET /api/documents')).body
  t.like(documents, [{ title: 'Heron handbook', status: 'done', chunk_count: 2 }])
  const { tasks } = (await call('GET /api/tasks')).body
  t.like(tasks, [{ name: 'weekly alarms', cronExpression: '0 9 * * 1', enabled: false }])
  const { items } = (await call('GET /api/cross-agent/messages', { query: { agent_id: 'ben' } })).body
  t.like(items, [{ content: 'the schema is merged', acknowledgedAt: null }])
  const { hits } = (await call('POST /api/sessions/search', { body: { query: 'alarms table beaks' } })).body
  t.like(hits, [{ sessionKey: 's-1', project: '/repo/heron' }])
  t.is(await daemon.secrets.resolve('local://HERON_TOKEN'), 'not-a-real-token-2718')
}
