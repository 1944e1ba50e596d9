import test from 'ava'
import { openRaw, openTestStore } from '../../helpers/store.js'

test('unsynced transactions are whole, can be read at once, and are on the disk once the store is synced', async t => {
  const { store, file } = openTestStore(t)
  const register = (...names: string[]) =>
    store.unsynced(async ({ agents }) => {
      for (const name of names) await agents.register(name, '2026-01-01T00:00:00.000Z')
      if (names.includes('broken')) throw new Error('the work failed')
    }, names.length)
  await register('first', 'second')
  await t.throwsAsync(register('third', 'broken'), { message: 'the work failed' })
  await register('fourth')
  await t.notThrowsAsync(store.sync())
  const rows = openRaw(t, file).prepare("SELECT id FROM agents WHERE id <> 'default' ORDER BY id").all()
  t.deepEqual(rows, [{ id: 'first' }, { id: 'fourth' }, { id: 'second' }])
})
