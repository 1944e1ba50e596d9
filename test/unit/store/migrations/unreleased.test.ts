import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { inspectDatabase } from '../../../../src/store/sqlite/backup-file.js'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { openRaw } from '../../../helpers/store.js'
import { unreleasedTime, unreleasedWorkspace } from '../../../helpers/unreleased.js'

const killed = join(import.meta.dirname, '../../../helpers/killed-conversion.ts')
const recorded = 'SELECT version, name, applied_at FROM migrations ORDER BY version'

test('a database with all 46 migrations is converted to the first schema with its creation time', async t => {
  const { database: file } = workspacePaths(unreleasedWorkspace(t))
  const raw = openRaw(t, file)
  const [first] = raw.prepare(recorded).all() as { applied_at: string }[]
  const store = openStore(file, unreleasedTime)
  t.deepEqual(store.migrations, { applied: 17, known: 17 })
  t.is(await store.tables.agents.since(), first!.applied_at)
  t.is(await store.tables.memories.countAlive(), 8)
  await store.close()
  const once = raw.prepare(recorded).all()
  t.deepEqual(once, [
    { version: 1, name: 'schema', applied_at: first!.applied_at },
    { version: 2, name: 'projects', applied_at: unreleasedTime.toISOString() },
    { version: 3, name: 'knowledge', applied_at: unreleasedTime.toISOString() },
    { version: 4, name: 'imports', applied_at: unreleasedTime.toISOString() },
    { version: 5, name: 'charsets', applied_at: unreleasedTime.toISOString() },
    { version: 6, name: 'layout', applied_at: unreleasedTime.toISOString() },
    { version: 7, name: 'expiry', applied_at: unreleasedTime.toISOString() },
    { version: 8, name: 'task-agents', applied_at: unreleasedTime.toISOString() },
    { version: 9, name: 'logins', applied_at: unreleasedTime.toISOString() },
    { version: 10, name: 'vector-counts', applied_at: unreleasedTime.toISOString() },
    { version: 11, name: 'sync', applied_at: unreleasedTime.toISOString() },
    { version: 12, name: 'session-turns', applied_at: unreleasedTime.toISOString() },
    { version: 13, name: 'save-indexes', applied_at: unreleasedTime.toISOString() },
    { version: 14, name: 'save-trees', applied_at: unreleasedTime.toISOString() },
    { version: 15, name: 'nodes', applied_at: unreleasedTime.toISOString() },
    { version: 16, name: 'row-numbers', applied_at: unreleasedTime.toISOString() },
    { version: 17, name: 'stopping-nodes', applied_at: unreleasedTime.toISOString() },
  ])
  await openStore(file, unreleasedTime).close()
  t.deepEqual(raw.prepare(recorded).all(), once)
})

for (const event of ['DELETE', 'UPDATE'])
  test(`a conversion killed at its first ${event} is completed later`, async t => {
    const { database: file } = workspacePaths(unreleasedWorkspace(t))
    const { signal } = spawnSync(process.execPath, ['--import=tsx', killed, file, event], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    t.is(signal, 'SIGKILL')
    t.is(openRaw(t, file).prepare(recorded).all().length, 46)
    const store = openStore(file, unreleasedTime)
    t.teardown(() => store.close())
    t.deepEqual(store.migrations, { applied: 17, known: 17 })
    t.is(await store.tables.memories.countAlive(), 8)
  })

test('a database with fewer migrations is refused unchanged, with advice', async t => {
  const { database: file } = workspacePaths(unreleasedWorkspace(t))
  const raw = openRaw(t, file)
  for (const last of [30, 1]) {
    raw.prepare('DELETE FROM migrations WHERE version > ?').run(last)
    const refusal = new RegExp(`migration ${last} of 46: start the daemon of commit 67e2b6b0 once`, 'u')
    t.throws(() => openStore(file, unreleasedTime), { message: refusal })
    t.is(raw.prepare(recorded).all().length, last)
    const { problems, memories } = await inspectDatabase(file)
    t.is(problems.length, 1)
    t.regex(problems[0]!, refusal)
    t.is(memories, null)
  }
})

test('a database of a newer release is refused, and inspected without its memories', async t => {
  const { database: file } = workspacePaths(unreleasedWorkspace(t))
  await openStore(file, unreleasedTime).close()
  openRaw(t, file).exec("INSERT INTO migrations (version, name, applied_at) VALUES (18, 'later', '2027')")
  t.throws(() => openStore(file, unreleasedTime), { message: /schema 18, this release knows 17: a newer/u })
  t.like(await inspectDatabase(file), { schema: 18, memories: null })
})
