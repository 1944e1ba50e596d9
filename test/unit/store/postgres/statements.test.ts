import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import type { Store } from '../../../../src/store/store.js'
import { askServer, openOnPostgres } from '../../../helpers/postgres.js'

const at = '2026-01-01T00:00:00.000Z'
const policyOf = async ({ tables }: Store): Promise<string | undefined> =>
  (await tables.agents.find('a'))?.read_policy
const policy = (name: string) => ({ read_policy: name, policy_group: null })

test('an answer about a table that rarely changes is kept until the daemon changes the table', async t => {
  const { store, url } = await openOnPostgres(t)
  t.is(await policyOf(store), undefined)
  await store.transaction(({ agents }) => agents.register('a', at))
  t.is(await policyOf(store), 'shared')
  await askServer(url, `UPDATE memory.agents SET read_policy = 'group' WHERE id = 'a'`)
  t.is(await policyOf(store), 'shared', 'the kept answer')
  await store.tables.agents.register('b', at)
  t.is(await policyOf(store), 'group')
  await store.tables.agents.setPolicy('a', policy('isolated'), at)
  t.is(await policyOf(store), 'isolated')
  await store.write({ until: 'executed' }, ({ agents }) => agents.setPolicy('a', policy('shared'), at))
  t.is(await policyOf(store), 'shared')
})

test('a row of a kept answer may be changed by its caller', async t => {
  const { store } = await openOnPostgres(t)
  await store.tables.agents.register('a', at)
  for (const _ of [1, 2]) {
    const row = await store.tables.agents.find('a')
    if (row) row.read_policy = 'isolated'
  }
  t.is(await policyOf(store), 'shared')
})

test('others read a row as it was until the transaction that changes it is over', async t => {
  const { store } = await openOnPostgres(t)
  await store.tables.agents.register('a', at)
  const change = (before: string, after: string, { isUndone }: { isUndone: boolean }) =>
    store.transaction(async ({ agents }) => {
      await agents.setPolicy('a', policy(after), at)
      t.is(await policyOf(store), before)
      t.is((await agents.find('a'))?.read_policy, after)
      if (isUndone) throw new Error('undone')
    })
  // The first read of the table comes while it changes.
  await change('shared', 'isolated', { isUndone: false })
  t.is(await policyOf(store), 'isolated')
  await t.throwsAsync(change('isolated', 'group', { isUndone: true }), { message: 'undone' })
  t.is(await policyOf(store), 'isolated')
})

test('readers beside a writer never get a policy older than the last one that was saved', async t => {
  const { store } = await openOnPostgres(t)
  await store.tables.agents.register('a', at)
  let saved = 0
  const round = fc.record({
    until: fc.constantFrom('synced' as const, 'committed' as const, 'executed' as const),
    readers: fc.integer({ min: 1, max: 4 }),
    pauseMs: fc.integer({ min: 0, max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 8 }), async rounds => {
      for (const { until, readers, pauseMs } of rounds) {
        const next = saved + 1
        const change = store.write({ until }, ({ agents }) => agents.setPolicy('a', policy(`${next}`), at))
        const read = async () => {
          const least = saved
          await delay(pauseMs)
          t.true(Number((await policyOf(store)) ?? 0) >= least || least === 0)
        }
        const reading = Promise.all(Array.from({ length: readers }, read))
        await change
        saved = next
        t.is(await policyOf(store), `${next}`)
        await reading
        t.is(await policyOf(store), `${next}`)
      }
    }),
    { numRuns: 15 },
  )
})

test('no cascade and no trigger adds rows to a table whose answers are kept', async t => {
  const { url } = await openOnPostgres(t)
  const kept = ['agents', 'memory_holders', 'document_chunks', 'sources']
  const added = await askServer(
    url,
    `SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'memory' AND prosrc ~* '(insert into|merge into) *"?(${kept.join('|')})\\M'`,
  )
  t.deepEqual(added, [])
})
