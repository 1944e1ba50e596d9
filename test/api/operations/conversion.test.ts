import test from 'ava'
import BetterSqlite from '../../../src/store/sqlite/connection/driver.js'
import { migratedWorkspace, startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { olderFile } from '../../helpers/older-file.js'

const conversionOf = async ({ call }: TestDaemon) =>
  (await call('GET /api/pipeline/status')).body.databaseMaintenance.vacuumConversion

test('a database of an older release is converted once after a start, and a kill during it loses nothing (operations.md 6.3)', async t => {
  const workspace = migratedWorkspace(t)
  const file = olderFile(t, workspace)
  const first = await startDaemon(t, { workspace })
  const id = await first.remember('kept through all of it')
  const done = await until(async () => {
    const conversion = await conversionOf(first)
    return conversion.state === 'completed' ? conversion : undefined
  })
  t.like(done, { attempts: 0, maxAttempts: 3, lastError: null })
  t.truthy(done.requestedAt)
  t.truthy(done.startedAt)
  t.truthy(done.completedAt)
  t.deepEqual(await first.recall('kept'), [id])
  await first.stop()

  // A kill leaves the conversion started but not finished.
  olderFile(t, workspace)
  const raw = new BetterSqlite(file)
  const running = JSON.stringify({ ...done, state: 'running', completedAt: null })
  raw.prepare("UPDATE meta SET value = ? WHERE key = 'vacuum_conversion'").run(running)
  raw.close()
  const second = await startDaemon(t, { workspace })
  t.is((await conversionOf(second)).requestedAt, done.requestedAt)
  await until(async () => (await conversionOf(second)).state === 'completed' || undefined)
  t.deepEqual(await second.recall('kept'), [id])
  t.true(second.daemon.store.file?.pages().canShrink)
})
