import test from 'ava'
import type { WriteOptions } from '../../../src/store/store.js'
import { openRaw, openTestStore } from '../../helpers/store.js'

const at = '2026-01-01T00:00:00.000Z'

test('a committed write is complete and readable, and on disk after a sync', async t => {
  const { store, file } = openTestStore(t)
  const register = (...names: string[]) =>
    store.write({ until: 'committed', rows: names.length }, async ({ agents }) => {
      for (const name of names) await agents.register(name, at)
      if (names.includes('broken')) throw new Error('the work failed')
    })
  await register('first', 'second')
  await t.throwsAsync(register('third', 'broken'), { message: 'the work failed' })
  await register('fourth')
  await t.notThrowsAsync(store.sync())
  const rows = openRaw(t, file).prepare("SELECT id FROM agents WHERE id <> 'default' ORDER BY id").all()
  t.deepEqual(rows, [{ id: 'first' }, { id: 'fourth' }, { id: 'second' }])
})

const undone: readonly WriteOptions[] = [
  { until: 'synced' },
  { until: 'synced', shared: true },
  { until: 'synced', large: true },
  { until: 'committed' },
  { until: 'committed', shared: true, rows: 2 },
]
for (const options of undone)
  test(`a failed write leaves nothing: ${JSON.stringify(options)}`, async t => {
    const { store } = openTestStore(t)
    await t.throwsAsync(
      store.write(options, async ({ agents }) => {
        await agents.register('first', at)
        throw new Error('the work failed')
      }),
      { message: 'the work failed' },
    )
    t.is(await store.tables.agents.find('first'), undefined)
  })

test('an executed-only write keeps the statements before its failure', async t => {
  const { store } = openTestStore(t)
  await t.throwsAsync(
    store.write({ until: 'executed' }, async ({ agents }) => {
      await agents.register('first', at)
      throw new Error('the work failed')
    }),
    { message: 'the work failed' },
  )
  t.is((await store.tables.agents.find('first'))?.id, 'first')
})
