import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'
import { openStore } from '../../../../src/store/sqlite/database.js'
import { callEveryRoute, settingsWithVectors } from '../../../helpers/call-every-route.js'
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.js'
import { askServer, ownDatabase } from '../../../helpers/postgres.js'
import { equalExports, exportedLines } from '../../../helpers/storage-move.js'
import { openRaw } from '../../../helpers/store.js'
import { startProxy } from '../../../helpers/tcp-proxy.js'

/** Memories in the file, also where this run has those of other tests on a server. */
const inFile = { storage: {} }

/** Starts the daemon of a workspace again, with the settings that it has by now. */
async function again(t: ExecutionContext, { paths, stop }: TestDaemon): Promise<TestDaemon> {
  await stop()
  const settings = parse(readFileSync(paths.settings, 'utf8')) as Record<string, unknown>
  return startDaemon(t, { workspace: paths.root, settings: { storage: {}, ...settings } })
}

async function move({ call }: TestDaemon, to: string, schema?: string) {
  const { status, body } = await call('POST /api/storage/move', { body: { to, ...(schema && { schema }) } })
  if (status !== 200) throw new Error(body.error)
  return body
}

test('a workspace moves to a server and back, equal by its export', async t => {
  const file = await startDaemon(t, { settings: { ...inFile, ...(await settingsWithVectors(t)) } })
  await callEveryRoute(t, file)
  for (let number = 0; number < 300; number++) await file.remember(`crane ${number} lifts é漢 containers`)
  const before = await exportedLines(file)
  t.true(before.length > 300)
  const url = await ownDatabase(t, { empty: true })

  const trial = (
    await file.call('POST /api/storage/move', { body: { to: url, schema: 'team_a', dryRun: true } })
  ).body
  t.false(trial.prepared)
  t.true((trial.tables.find(({ name }) => name === 'memories')?.rows ?? 0) > 300)
  t.is((await file.call('GET /api/storage')).body.move, null)

  t.true((await move(file, url, 'team_a')).prepared)
  const server = await again(t, file)
  const there = (await server.call('GET /api/storage')).body
  t.is(there.move?.problem, null)
  t.like(there, { kind: 'server', move: { phase: 'moved' } })
  equalExports(t, await exportedLines(server), before)
  t.true((await server.recall('crane lifts containers')).length > 0)
  t.false(existsSync(file.paths.database))
  t.true(existsSync(join(file.paths.storageMove, 'memories.db')))
  t.deepEqual(
    await askServer(url, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'team%' ORDER BY 1`),
    [{ nspname: 'team_a' }],
  )
  t.is((await server.call('POST /api/storage/move', { body: { to: 'sqlite' } })).status, 409)

  t.true((await server.call('POST /api/storage/confirm', { body: {} })).body.removed)
  t.false(existsSync(file.paths.storageMove))
  const saved = await server.call('POST /api/memory/remember', { body: { content: 'saved on the server' } })
  t.is(saved.status, 200, JSON.stringify(saved.body))
  const added = saved.body.id
  const [later, onServer] = [await exportedLines(server), await move(server, 'sqlite')]
  t.true(onServer.prepared)
  const back = await again(t, server)
  const { body } = await back.call('GET /api/storage')
  t.like(body, { kind: 'file', place: file.paths.database, move: { phase: 'moved', problem: null } })
  equalExports(t, await exportedLines(back), later)
  t.true(later.some(line => line.includes(added)))
  // The old schema has another name.
  t.regex(body.move?.old?.split(' ')[1] ?? '', /^team_a_moved_[0-9a-f]{8}$/)
  await back.call('POST /api/storage/confirm', { body: {} })
  t.deepEqual(await askServer(url, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'team%'`), [])
})

test('a move that lost its server goes on, and one that is cancelled leaves nothing', async t => {
  const file = await startDaemon(t, { settings: inFile })
  for (let number = 0; number < 600; number++) await file.remember(`crane ${number}`)
  const before = await exportedLines(file)
  const url = await ownDatabase(t, { empty: true })
  const proxy = await startProxy(t, url)
  await move(file, proxy.url, 'team_a')
  proxy.cutAfter('INSERT INTO "memory_history"')
  const mended = setTimeout(() => proxy.mend(), 1500)
  const server = await again(t, file)
  clearTimeout(mended)
  const { move: moved } = (await server.call('GET /api/storage')).body
  t.deepEqual([moved?.phase, moved?.problem], ['moved', null])
  equalExports(t, await exportedLines(server), before)

  await server.call('POST /api/storage/confirm', { body: {} })
  await move(server, proxy.url, 'team_b')
  writeFileSync(server.paths.storageMoveCancel, '')
  const still = await again(t, server)
  const { body } = await still.call('GET /api/storage')
  t.like(body, { kind: 'server', move: { phase: 'cancelled', old: null } })
  t.regex(body.place, /^schema team_a /)
  equalExports(t, await exportedLines(still), before)
  t.deepEqual(await askServer(url, `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'team%'`), [
    { nspname: 'team_a' },
  ])
})

test('a move says what is in its way, and changes nothing', async t => {
  const file = await startDaemon(t, { settings: inFile })
  await file.remember('the deploy runs on Tuesdays')
  const taken = await file.call('POST /api/storage/move', { body: { to: await ownDatabase(t) } })
  t.is(taken.status, 409)
  t.regex(taken.body.error ?? '', /has tables already: choose another --schema/)
  const same = await file.call('POST /api/storage/move', { body: { to: 'sqlite' } })
  t.regex(same.body.error ?? '', /are in .* already/)
  t.is((await file.call('POST /api/storage/confirm', { body: {} })).status, 409)

  // A text that a server refuses in a unique column: its rows differ afterwards.
  await file.stop()
  const store = openStore(file.paths.database, new Date())
  for (const id of ['nul-agent', 'nulagent'])
    await store.transaction(({ agents }) => agents.register(id, '2026-01-01T00:00:00.000Z'))
  await store.close()
  // As an earlier release could store it.
  openRaw(t, file.paths.database).exec(`UPDATE agents SET id = replace(id, '-', char(0))`)
  const next = await again(t, file)
  await move(next, await ownDatabase(t, { empty: true }))
  const kept = await again(t, next)
  const { body } = await kept.call('GET /api/storage')
  t.like(body, { kind: 'file', move: { phase: 'failed' } })
  t.truthy(body.move?.problem)
  t.deepEqual(await kept.recall('deploy'), await next.recall('deploy').catch(() => kept.recall('deploy')))
})

test('the password of a target goes to the store of secrets', async t => {
  const file = await startDaemon(t, { settings: inFile })
  const url = new URL(await ownDatabase(t, { empty: true }))
  url.password = 'planted-password'
  t.false(JSON.stringify(await move(file, url.href)).includes('planted-password'))
  const server = await again(t, file)
  t.is((await server.call('GET /api/storage')).body.kind, 'server')
  t.false(readFileSync(file.paths.settings, 'utf8').includes('planted-password'))
  t.false(readFileSync(file.paths.storageMoveNote, 'utf8').includes('planted-password'))
  t.regex(readFileSync(file.paths.settings, 'utf8'), /postgres: MEMORY_DATABASE/)
})
