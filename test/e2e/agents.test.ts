// runs: in turn

import test from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { startDaemon } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { openRaw, storeLike } from '../helpers/store.js'

test('agents are listed, shown, created and edited (agents.md 8)', async t => {
  const created = await runHere(t, ['agents', 'create', 'maya', '--json'])
  t.like(created.json(), { name: 'maya', read_policy: 'isolated' })
  await runHere(t, ['remember', 'the crane is red', '--agent', 'noor'])
  const list = await runHere(t, ['agents', 'list'])
  t.deepEqual(
    list.stdout.split('\n').map(line => line.split('\t').slice(0, 3).join(' ')),
    ['default shared -', 'maya isolated -', 'noor shared -'],
  )
  const edited = await runHere(t, ['agents', 'edit', 'maya', '--policy', 'group', '--group', 'web'])
  t.regex(edited.stdout, /those shared by group web \(group\)/)
  t.is((await runHere(t, ['agents', 'edit', 'maya', '--no-group'])).code, 2)
  t.regex((await runHere(t, ['agents', 'edit', 'maya'])).stderr, /nothing to change for maya/)
  t.regex((await runHere(t, ['agents', 'show', 'noor'])).stdout, /memories\s+1\n/)
  const taken = await runHere(t, ['agents', 'create', 'maya'])
  t.deepEqual([taken.code, /memory agents edit/.test(taken.stderr)], [4, true])
  t.is((await runHere(t, ['agents', 'show', 'nobody'])).code, 3)
})

test('agents remove asks first; without a terminal it needs --yes (agents.md 8)', async t => {
  await runHere(t, ['remember', 'the crane is red', '--agent', 'noor'])
  const asked = await runHere(t, ['agents', 'remove', 'noor'])
  t.is(asked.code, 2)
  t.regex(asked.stderr, /--yes/)
  const removed = await runHere(t, ['agents', 'remove', 'noor', '--yes'])
  t.deepEqual([removed.code, removed.stdout], [0, 'Removed noor; 1 memory archived'])
  const purged = await runHere(t, ['agents', 'remove', 'noor', '--purge', '--yes', '--json'])
  t.deepEqual(purged.json(), { success: true, purged: true, memories: 1 })
  t.is((await runHere(t, ['agents', 'remove', 'noor', '--purge', '--yes'])).code, 3)
})

test('a purge killed halfway is completed by the next daemon (agents.md 4.7)', async t => {
  const first = await startDaemon(t)
  const id = await first.remember('the crane is red', { agentId: 'cas' })
  const rows = 3000
  const kept = await first.remember('the crane is tall', { agentId: 'dan' })
  await storeLike(
    first.daemon,
    id,
    Array.from({ length: rows }, (_, n) => ({ content: `crane ${n}` })),
  )
  await first.stop()
  const raw = openRaw(t, first.paths.database)
  const count = (where: string): number =>
    raw.prepare(`SELECT count(*) FROM memories WHERE ${where}`).pluck().get() as number
  const killed = spawnDaemon(t, first.paths.root)
  const { url } = await killed.ready()
  const purge = fetch(`${url}/api/agents/cas?purge=true`, { method: 'DELETE' }).catch(() => undefined)
  await until(() => count("visibility = 'archived'") > rows / 4 || undefined)
  killed.child.kill('SIGKILL')
  await purge
  t.true(count("agent_id = 'cas'") > 0, 'the kill came too late')
  const next = spawnDaemon(t, first.paths.root)
  const { url: address } = await next.ready()
  await until(() => count("agent_id = 'cas'") === 0 || undefined)
  await until(async () => (await fetch(`${address}/api/agents/cas`)).status === 404 || undefined)
  // Deleting the row is the last step; the database's log no longer contains the agent's data by then.
  await until(
    () => raw.prepare("SELECT count(*) FROM agents WHERE id = 'cas'").pluck().get() === 0 || undefined,
  )
  t.deepEqual(raw.prepare('SELECT id FROM memories').pluck().all(), [kept])
})
