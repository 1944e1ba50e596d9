import test from 'ava'
import { openStore } from '../../../src/store/sqlite/database.js'
import { openRaw, openTestStore } from '../../helpers/store.js'

test('statistics left by another program do not change query plans', async t => {
  const { store, file } = openTestStore(t)
  await store.close()
  const raw = openRaw(t, file)
  const counted = () => raw.prepare('SELECT count(*) AS count FROM sqlite_stat1').get()
  raw.exec('ANALYZE')
  t.notDeepEqual(counted(), { count: 0 })
  const opened = openStore(file, new Date())
  t.teardown(() => opened.close())
  t.deepEqual(counted(), { count: 0 })
})
