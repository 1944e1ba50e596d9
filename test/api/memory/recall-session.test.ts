import test, { type ExecutionContext } from 'ava'
import { advanceEpoch } from '../../../src/daemon/memory/recall/choose/ledger.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'

async function startWithThree(t: ExecutionContext, options?: Parameters<typeof startDaemon>[1]) {
  const daemon = await startDaemon(t, options)
  const ids = []
  for (const n of [1, 2, 3]) ids.push(await daemon.remember(`server number ${n} is in rack ${n}`))
  return { ...daemon, ids: ids as [string, string, string] }
}

const ask = async (
  { call }: Pick<TestDaemon, 'call'>,
  fields: Partial<Parameters<TestDaemon['recall']>[1]> = {},
) =>
  (await call('POST /api/memory/recall', { body: { query: 'server rack', sessionKey: 's1', ...fields } }))
    .body

const idsOf = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id)

test('memories shown to a session are withheld from it, and the next ones are returned (recall.md 4.9)', async t => {
  const daemon = await startWithThree(t)
  const first = await ask(daemon, { limit: 2 })
  t.is(first.count, 2)
  t.like(first.meta, { withheld: 0, contextEpoch: 0 })
  const second = await ask(daemon, { limit: 2 })
  t.deepEqual([...idsOf(first), ...idsOf(second)].sort(), [...daemon.ids].sort())
  t.is(second.meta.withheld, 2)
  const third = await ask(daemon)
  t.like(third, { count: 0, meta: { withheld: 3, noHits: true } })
  t.regex(third.message, /3 already recalled in this session.*includeRecalled/)
})

test('each agent and session has its own ledger; a recall without a session has none (recall.md 4.9)', async t => {
  const daemon = await startWithThree(t)
  t.is((await ask(daemon)).count, 3)
  t.is((await ask(daemon, { sessionKey: 's2' })).count, 3)
  t.is((await ask(daemon, { agentId: 'other', readPolicy: 'shared' })).count, 3)
  const without = await ask(daemon, { sessionKey: null })
  t.is(without.count, 3)
  t.false('withheld' in without.meta || 'contextEpoch' in without.meta || 'ledger' in without.meta.timings)
  t.is((await ask(daemon)).count, 0)
})

test('includeRecalled brings withheld rows back and marks them (recall.md 4.9)', async t => {
  const daemon = await startWithThree(t)
  const first = idsOf(await ask(daemon, { limit: 1 }))
  const { results, meta } = await ask(daemon, { includeRecalled: true })
  t.is(results.length, 3)
  t.is(meta.withheld, 0)
  t.deepEqual(
    results.filter(({ recalled }) => recalled).map(({ id }) => id),
    first,
  )
  t.is((await ask(daemon)).count, 0)
})

test('advancing the context epoch returns the rows again, for that session only (recall.md 4.9)', async t => {
  const daemon = await startWithThree(t)
  await ask(daemon)
  await ask(daemon, { sessionKey: 's2' })
  t.is(await advanceEpoch(daemon.daemon, 'default', 's1'), 1)
  t.is((await ask(daemon, { sessionKey: 's2' })).count, 0)
  const again = await ask(daemon)
  t.is(again.count, 3)
  t.is(again.meta.contextEpoch, 1)
  t.is((await ask(daemon)).count, 0)
  t.is(await advanceEpoch(daemon.daemon, 'default', 's1'), 2)
  t.is(await advanceEpoch(daemon.daemon, 'default', 'never recalled'), 1)
})

test('the ledger survives a restart (recall.md 4.9)', async t => {
  const first = await startWithThree(t)
  await ask(first, { limit: 2 })
  await first.stop()
  const second = await startDaemon(t, { workspace: first.paths.root })
  const { count, meta } = await ask(second)
  t.is(count, 1)
  t.is(meta.withheld, 2)
})

test('of concurrent recalls, each row goes to one (recall.md 4.9)', async t => {
  const daemon = await startWithThree(t)
  const replies = await Promise.all([1, 2, 3, 4, 5, 6].map(() => ask(daemon, { limit: 2 })))
  const given = replies.flatMap(idsOf)
  t.is(new Set(given).size, given.length)
  t.true(replies.every(({ count, meta }) => count + meta.withheld! > 0))
})

test('ledgers of sessions unused for a week are purged (recall.md 4.9)', async t => {
  let now = new Date('2026-03-01T00:00:00Z')
  const daemon = await startWithThree(t, { clock: () => now })
  await ask(daemon)
  now = new Date('2026-03-05T00:00:00Z')
  await ask(daemon, { sessionKey: 's2' })
  now = new Date('2026-03-09T00:00:00Z')
  await ask(daemon, { sessionKey: 's3' })
  const raw = openRaw(t, daemon.paths.database)
  const keys = (table: string) =>
    raw.prepare(`SELECT DISTINCT session_key FROM ${table} ORDER BY 1`).pluck().all()
  t.deepEqual(keys('recall_sessions'), ['s2', 's3'])
  t.deepEqual(keys('recalled_memories'), ['s2', 's3'])
})

test('an unreadable ledger does not stop a recall (recall.md 1.3.9)', async t => {
  const daemon = await startWithThree(t)
  daemon.daemon.store.tables.recallLedger.recalledIn = async () => {
    throw new Error('gone')
  }
  const { count, meta } = await ask(daemon)
  t.is(count, 3)
  t.deepEqual(meta.skipped, ['ledger'])
})

test('judgements that cannot be read do not stop a recall (recall.md 1.3.9)', async t => {
  const daemon = await startWithThree(t)
  daemon.daemon.store.tables.recallLedger.judgedAmong = async () => {
    throw new Error('gone')
  }
  const { count, meta } = await ask(daemon)
  t.is(count, 3)
  t.deepEqual(meta.skipped, ['judgement'])
})
