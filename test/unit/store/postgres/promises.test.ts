import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { stringify } from 'yaml'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { isUnavailable } from '../../../../src/store/faults.js'
import { openPostgres } from '../../../../src/store/postgres/database.js'
import { startDaemon, temporaryWorkspace } from '../../../helpers/daemon.js'
import { spawnDaemon, until } from '../../../helpers/daemon-process.js'
import { harnessHook } from '../../../helpers/harness-hook.js'
import { everyKind, searchAll } from '../../../helpers/items.js'
import { askServer, ownDatabase, ownServer } from '../../../helpers/postgres.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

const at = '2026-01-01T00:00:00.000Z'

const memory = {
  ...{ id: 'one', content_hash: 'one', content: 'c', hash_space: '', type: 'fact', tags: '', pinned: 0 },
  ...{ created_at: at, updated_at: at, updated_by: 'x', memory_kind: 'episodic', agent_id: 'a', change: 1 },
  ...{ visibility: 'global', safety_status: 'clean', safety_reasons: '', safety_policy: '1' },
  ...{ safety_scanned_at: at, safety_rules: '', extraction_status: 'none' },
}

test('what was acknowledged or synced survives a crash of a server whose roles do not wait for the disk', async t => {
  const server = await ownServer(t)
  if (!server) return t.log('skipped: no programs of a server')
  await askServer(server.url, "ALTER SYSTEM SET wal_writer_delay TO '10s'")
  await askServer(server.url, 'ALTER ROLE memory SET synchronous_commit TO off; SELECT pg_reload_conf()')
  const store = await openPostgres({ url: server.url, schema: 'memory' }, new Date(at))
  t.teardown(() => store.close())
  const agents = async () =>
    (await askServer(server.url, 'SELECT id FROM memory.agents ORDER BY id')).map(({ id }) => id)
  await store.write({ until: 'synced' }, tables => tables.agents.register('acknowledged', at))
  await server.crash()
  t.deepEqual(await agents(), ['acknowledged'])
  await store.write({ until: 'committed' }, tables => tables.agents.register('committed', at))
  await store.sync()
  await server.crash()
  t.deepEqual(await agents(), ['acknowledged', 'committed'])
})

test('settings of a database do not change how numbers and bytes are read, or how works see each other', async t => {
  const url = await ownDatabase(t)
  const name = new URL(url).pathname.slice(1)
  for (const setting of [
    "bytea_output TO 'escape'",
    'extra_float_digits TO -10',
    'standard_conforming_strings TO off',
    "default_transaction_isolation TO 'serializable'",
    "idle_session_timeout TO '3s'",
  ])
    await askServer(url, `ALTER DATABASE ${name} SET ${setting}`)
  // A busy server takes longer than a connection waits.
  const store = await until(() =>
    openPostgres({ url, schema: 'memory' }, new Date(at)).catch(error => {
      if (!isUnavailable(error)) throw error
      return undefined
    }),
  )
  t.teardown(() => store.close())
  const importance = 0.123456789012345
  await store.tables.memories.insert([{ ...memory, importance }])
  const vector = Float32Array.of(0.25, -1, 3)
  await store.tables.vectors.put([{ memoryId: 'one', provider: 'p', model: 'm', vector }], at)
  const { memories, vectors } = store.tables
  t.is((await memories.load(['one']))[0]?.importance, importance)
  t.deepEqual((await vectors.of(['one'], { provider: 'p', model: 'm' })).get('one'), vector)
  await store.transaction(({ agents }) => agents.register('theirs', at))
  const seen = await store.transaction(async ({ agents }) => {
    const before = await agents.find('theirs')
    await askServer(url, "DELETE FROM memory.agents WHERE id = 'theirs'")
    return [before?.id, await agents.find('theirs')]
  })
  t.deepEqual(seen, ['theirs', undefined])
  await delay(4000)
  const locks = await askServer(
    url,
    `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE locktype = 'advisory' AND datname = current_database()`,
  )
  t.is(locks.length, 2)
})

test('a second daemon on a schema ends, and says who serves it', async t => {
  const postgres = await ownDatabase(t)
  const settings = { storage: { postgres } }
  await startDaemon(t, { settings })
  const workspace = temporaryWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  writeFileSync(
    workspacePaths(workspace).settings,
    stringify({ embedding: { provider: 'none' }, ...settings }),
  )
  const second = spawnDaemon(t, workspace)
  t.is(await second.exited, 3)
  t.regex(
    second.stderr(),
    /another daemon \(from 127\.0\.0\.1\S*, since 20[^)]+\) serves schema memory of test_\w+ on .*: one daemon at a time/,
  )
})

test('without its server a daemon lets hooks go on, and saves by itself what they reported', async t => {
  const proxy = await startProxy(t, await ownDatabase(t))
  const daemon = await startDaemon(t, { settings: { storage: { postgres: proxy.url } } })
  const { hookSpool } = daemon.paths
  const kept = (): string[] => (existsSync(hookSpool) ? readdirSync(hookSpool) : [])
  const native = (hook_event_name: string, fields = {}) => ({
    ...{ session_id: '0198f3c2-7c11-7000-8000-00000000abcd', cwd: '/work/api', hook_event_name, ...fields },
  })
  proxy.cut()
  const start = await harnessHook(daemon, 'claude-code/session-start', native('SessionStart'))
  t.deepEqual([start.status, start.text], [200, ''])
  t.regex(start.note ?? '', /storage_unavailable/)
  const summary = native('PostCompact', { compact_summary: 'We chose PostgreSQL for the ledger.' })
  const { status, text, note } = await harnessHook(daemon, 'claude-code/compaction-complete', summary)
  t.deepEqual([status, text], [200, ''])
  t.regex(note ?? '', /storage_unavailable/)
  t.is(kept().length, 1)
  proxy.mend()
  await until(() => kept().length === 0 || undefined)
  t.is((await daemon.recall('which database for the ledger')).length, 1)
})

test('a daemon on another machine finds all that a schema contains', async t => {
  const settings = { storage: { postgres: await ownDatabase(t) } }
  const first = await startDaemon(t, { settings })
  await everyKind(t, first)
  const kinds = async (daemon: typeof first): Promise<string[]> =>
    [...new Set((await searchAll(daemon, { query: 'lighthouse lamp' })).items.map(({ kind }) => kind))].sort()
  const before = await kinds(first)
  await first.stop()
  const second = await startDaemon(t, { settings })
  t.not(second.paths.root, first.paths.root)
  const here = before.filter(kind => kind !== 'code')
  t.true(here.length >= 5, here.join())
  t.deepEqual(
    await until(async () => {
      const found = await kinds(second)
      return here.every(kind => found.includes(kind)) ? found.filter(kind => kind !== 'code') : undefined
    }),
    here,
  )
})
