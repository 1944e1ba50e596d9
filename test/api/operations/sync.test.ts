import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { freshDevice, writeOwn } from '../../../src/daemon/operations/sync/exchange/membership.js'
import { newRecoveryCode } from '../../../src/lib/keys/recovery-code.js'
import { backUp } from '../../helpers/archives.js'
import { startDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { operation, perform } from '../../helpers/ontology.js'
import { dumpOf, exchangeAll, filesIn, manual, syncFolder, syncTogether } from '../../helpers/sync.js'
import { startTeam } from '../../helpers/team.js'

test('two machines have the same memories after an exchange, and no word of them is in the folder', async t => {
  const folder = syncFolder(t)
  const one = await startDaemon(t, manual)
  const two = await startDaemon(t, manual)
  const kept = await one.remember('The quokka deploys on Tuesdays.', { tags: ['deploy'], importance: 0.7 })
  const gone = await one.remember('The wombat is retired.')
  await two.remember('The numbat queue holds 500 messages.')
  const same = await two.remember('The quokka deploys on Tuesdays.', { tags: ['tuesday'] })
  await syncTogether(folder, [one, two])
  await exchangeAll([one, two])

  const dump = await dumpOf(one)
  t.deepEqual(await dumpOf(two), dump)
  t.is(dump.filter(line => line.includes('quokka') && line.includes('"kind":"memory"')).length, 1)
  t.deepEqual(await two.recall('numbat queue'), await one.recall('numbat queue'))
  const smaller = kept < same ? kept : same
  t.true(dump.some(line => line.includes(smaller) && line.includes('tuesday') && line.includes('deploy')))

  const patch = { id: smaller, reason: 'newer', tags: ['monday'], pinned: true }
  await two.call('POST /api/memory/modify', { body: { patches: [patch] } })
  const query = { query: 'wombat', reason: 'wrong' }
  await one.call('POST /api/memory/forget', { body: { ...query, mode: 'execute', ids: [gone] } as never })
  await exchangeAll([one, two])
  t.deepEqual(await dumpOf(two), await dumpOf(one))
  const memories = (await dumpOf(two)).filter(line => line.includes('"kind":"memory"')).join()
  t.regex(memories, /"pinned":1.*"tags":"monday"/u)
  t.notRegex(memories, /wombat/u)

  for (const file of filesIn(folder, ''))
    t.notRegex(readFileSync(file, 'latin1'), /quokka|wombat|numbat|tuesday|deploy/iu)
})

test('a memory that was one with another and is alone again has the same history on every machine', async t => {
  const [one, two, three] = [
    await startDaemon(t, manual),
    await startDaemon(t, manual),
    await startDaemon(t, manual),
  ]
  await syncTogether(syncFolder(t), [one, two, three])
  await exchangeAll([one, two, three])
  const pause = (paused: boolean) => ({ body: { paused } })
  await two.call('POST /api/sync/pause', pause(true))
  const text = 'The kestrel nests on the crane.'
  const gone = await one.remember(text)
  await exchangeAll([one, three])
  await three.call('POST /api/sync/pause', pause(true))
  const forget = { query: 'kestrel', reason: 'wrong', mode: 'execute', ids: [gone] }
  await three.call('POST /api/memory/forget', { body: forget as never })
  await delay(5)
  const kept = await two.remember(text)

  // The older one comes first, and only then that it was forgotten before the other one was saved.
  await two.call('POST /api/sync/pause', pause(false))
  await exchangeAll([two, one])
  t.like(await two.daemon.store.tables.memories.load([kept]), { 0: { is_deleted: 1 } })
  await three.call('POST /api/sync/pause', pause(false))
  await exchangeAll([three, two, one])
  const dump = await dumpOf(two)
  t.regex(filterMemories(dump).join(), new RegExp(`^[^\n]*${kept}[^\n]*$`, 'u'))
  t.is(dump.filter(line => line.includes('another machine saved the same text')).length, 1)
  t.deepEqual(await dumpOf(one), dump)
  t.deepEqual(await dumpOf(three), dump)
})

test('files that are cut, foreign or of an unknown device are named and change nothing', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await one.remember('The kestrel nests on the crane.')
  await syncTogether(folder, [one, two])
  await exchangeAll([one])
  const [segment] = filesIn(folder, '.seg')
  const whole = readFileSync(segment!)
  writeFileSync(segment!, whole.subarray(0, whole.length - 40))
  writeFileSync(segment!.replace('.seg', ' (conflicted copy).seg'), whole)
  const { body } = await two.call('POST /api/sync/run', { body: {} })
  t.regex(body.run!.faults.join('\n'), /is left alone: it is cut or was changed/u)
  t.regex(body.run!.faults.join('\n'), /conflicted copy\).seg is not a file of this sync/u)
  t.deepEqual(await dumpOf(two), await dumpOf(await startDaemon(t, manual)))

  writeFileSync(segment!, whole)
  await exchangeAll([two])
  t.deepEqual(await dumpOf(two), await dumpOf(one))
})

test('a store that was rolled back gets everything again', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await syncTogether(folder, [one, two])
  await one.remember('The kestrel nests on the crane.')
  await exchangeAll([one])
  await one.remember('The osprey dives at noon.')
  await exchangeAll([one])
  for (const segment of filesIn(folder, '.seg')) rmSync(segment)
  const { body } = await one.call('POST /api/sync/run', { body: {} })
  t.regex(body.run!.faults.join('\n'), /2 segments of this machine are gone/u)
  await exchangeAll([two, one])
  t.deepEqual(await dumpOf(two), await dumpOf(one))
  t.is(filterMemories(await dumpOf(two)).length, 2)
})

test('a removed machine reads nothing new, and what it writes does not count', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await syncTogether(folder, [one, two])
  await one.remember('The kestrel nests on the crane.')
  await exchangeAll([one, two])
  const known = await dumpOf(two)
  const revoked = await one.call('POST /api/sync/revoke', { body: { device: 'other 1' } })
  t.is(revoked.status, 200, JSON.stringify(revoked.body))
  await one.remember('The osprey dives at noon.')
  await exchangeAll([one])
  await two.remember('Written by a lost machine.')
  const { body } = await two.call('POST /api/sync/run', { body: {} })
  t.is(body.state, 'removed')
  t.regex(body.run!.problem!, /was removed from the sync/u)
  t.deepEqual(
    (await dumpOf(two)).filter(line => line.includes('osprey')),
    [],
  )
  t.is(filterMemories(await dumpOf(two)).length, filterMemories(known).length + 1)
  await exchangeAll([one])
  t.notRegex((await dumpOf(one)).join(), /lost machine/u)
})

test('the recovery code lets a new machine in when all others are lost, and no other code does', async t => {
  const folder = syncFolder(t)
  const one = await startDaemon(t, manual)
  const code = await syncTogether(folder, [one])
  await one.remember('The kestrel nests on the crane.')
  await exchangeAll([one])
  await one.stop()
  const two = await startDaemon(t, manual)
  const wrong = await two.call('POST /api/sync/recover', {
    body: { address: folder, name: 'new', code: newRecoveryCode() },
  })
  t.like(wrong, { status: 400, body: { code: 'validation_failed' } })
  const { status } = await two.call('POST /api/sync/recover', {
    body: { address: folder, name: 'new', code },
  })
  t.is(status, 200)
  await exchangeAll([two])
  t.is(filterMemories(await dumpOf(two)).length, 1)
})

test('a wrong code lets nobody in', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await one.call('POST /api/sync/init', { body: { address: folder, name: 'first' } })
  await two.call('POST /api/sync/join', { body: { address: folder, name: 'other' } })
  const { status, body } = await one.call('POST /api/sync/approve', { body: { code: '00000-00000' } })
  t.is(status, 404)
  t.regex(body.error!, /shows this code/u)
  await exchangeAll([two])
  t.is((await two.call('GET /api/sync')).body.state, 'joining')
})

test('a backup of a machine that waits to be let in is restored after that: it belongs again, and ends equal (sync.md#threats)', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await two.remember('The kestrel nests on the crane.')
  await one.call('POST /api/sync/init', { body: { address: folder, name: 'first' } })
  const { body: asked } = await two.call('POST /api/sync/join', { body: { address: folder, name: 'other' } })
  const { id } = await backUp(two)
  await one.call('POST /api/sync/approve', { body: { code: asked.code } })
  await exchangeAll([two])
  await two.remember('The osprey dives at noon.')
  await exchangeAll([two, one])
  await two.call('POST /api/backup/:id/restore', { params: { id }, body: { confirm: true } })
  await two.stop()

  const again = await startDaemon(t, { ...manual, workspace: two.paths.root })
  t.is((await again.call('GET /api/sync')).body.state, 'joining')
  await again.remember('The heron queue holds 500 messages.')
  await exchangeAll([again, one])
  const { state, device } = (await again.call('GET /api/sync')).body
  t.is(state, 'on')
  t.not(device, asked.device)
  const dump = await dumpOf(one)
  t.deepEqual(await dumpOf(again), dump)
  t.is(filterMemories(dump).length, 3)
})

test('a restore says that sync is on: later changes come back, and what was forgotten since stays forgotten', async t => {
  const folder = syncFolder(t)
  const machines = [await startDaemon(t, manual), await startDaemon(t, manual)] as const
  const [one, two] = machines
  await syncTogether(folder, machines)
  const forgotten = await two.remember('The kestrel nests on the crane.')
  await exchangeAll(machines)
  const { id } = await backUp(two)
  await two.call('DELETE /api/memory/:id', { params: { id: forgotten }, query: { reason: 'x' } })
  await one.remember('The osprey dives at noon.')
  await exchangeAll(machines)
  const params = { id }
  t.true((await two.call('POST /api/backup/:id/restore', { params, body: { dryRun: true } })).body.synced)
  await two.call('POST /api/backup/:id/restore', { params, body: { confirm: true } })
  await two.stop()

  const again = await startDaemon(t, { ...manual, workspace: two.paths.root })
  await exchangeAll([again, one])
  const { memories } = (await again.call('GET /api/memories')).body
  t.deepEqual(
    memories.map(({ content }: { content: string }) => content),
    ['The osprey dives at noon.'],
  )
})

test('a machine that asked to join and lost its code says so', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await one.call('POST /api/sync/init', { body: { address: folder, name: 'first' } })
  await two.call('POST /api/sync/join', { body: { address: folder, name: 'other' } })
  await writeOwn(two.daemon, freshDevice('another'))
  const { body } = await two.call('POST /api/sync/run', { body: {} })
  t.regex(body.run!.problem!, /the code .* is gone.* memory sync leave/u)
  t.is(body.troubles.length, 1)
})

test('an administrator elsewhere neither begins, joins nor recovers a sync, unless this machine allows it (permissions.md)', async t => {
  const team = await startTeam(t, { settings: { embedding: { provider: 'none' } } })
  const away = { ...team.admin, 'x-forwarded-for': '203.0.113.7' }
  // No place has this address, so that nothing begins.
  const body = { address: 'relative/path', name: 'first', code: newRecoveryCode() }
  const ways = ['init', 'join', 'recover'] as const
  const asked = (headers: Record<string, string>) =>
    Promise.all(ways.map(async way => (await team.call(`POST /api/sync/${way}`, { body, headers })).status))
  t.deepEqual(await asked(away), [403, 403, 403])
  t.deepEqual(await asked(team.admin), [400, 400, 400])
  team.daemon.changeSettings({ 'auth.remoteAdminMayRun': true })
  t.deepEqual(await asked(away), [400, 400, 400])
})

test('a text that was purged and saved again before the next exchange is kept (sync.md#rules)', async t => {
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await syncTogether(syncFolder(t), [one, two])
  const mayas = { agentId: 'maya', visibility: 'private' } as const
  const gone = await one.remember('Maya keeps a bilby.', mayas)
  await exchangeAll([one, two])
  await one.call('DELETE /api/agents/:name', { params: { name: 'maya' }, query: { purge: true } } as never)
  const kept = await one.remember('Maya keeps a bilby.', mayas)
  // More than one batch of changes.
  await Promise.all(Array.from({ length: 205 }, (_, at) => one.remember(`The heron queue ${at} is full.`)))
  await exchangeAll([one, two])
  for (const { daemon } of [one, two]) {
    t.deepEqual(await daemon.store.tables.memories.load([gone]), [])
    t.like(await daemon.store.tables.memories.load([kept]), { 0: { is_deleted: 0 } })
  }
})

test('decisions of the ontology stay on their machine, in the history of memories too (sync.md)', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await syncTogether(folder, [one, two])
  const id = await one.remember('Orion runs on Postgres.')
  const decide = (name: string) =>
    perform(one, [operation('create_entity', { name, type: 'tool' }, { [id]: name })])
  await decide('Orion')
  await exchangeAll([one, two])
  await decide('Postgres')
  // A change of the memory tells its history since the last exchange.
  await one.call('POST /api/memory/modify', { body: { patches: [{ id, reason: 'newer', pinned: true }] } })
  await exchangeAll([one, two])

  const eventsOf = async ({ call }: typeof one) =>
    (await call('GET /api/memory/:id/history', { params: { id } })).body.history.map(({ event }) => event)
  t.deepEqual((await eventsOf(one)).sort(), ['created', 'modified', 'none', 'none'])
  t.deepEqual((await eventsOf(two)).sort(), ['created', 'modified'])
})

function filterMemories(dump: readonly string[]): string[] {
  return dump.filter(line => line.includes('"kind":"memory"'))
}

test('holders, replacements, policies and purges of an agent follow on the other machine', async t => {
  const folder = syncFolder(t)
  const [one, two] = [await startDaemon(t, manual), await startDaemon(t, manual)]
  await syncTogether(folder, [one, two])
  await one.call('POST /api/agents', { body: { name: 'maya', read_policy: 'isolated' } as never })
  const old = await one.remember('The heron queue holds 500 messages.')
  await exchangeAll([one, two])
  await two.remember('The heron queue holds 800 messages.', { supersedes: old })
  await two.remember('The heron queue holds 500 messages.', { agentId: 'noor', project: 'boat' })
  const secret = await one.remember('Maya keeps a bilby.', { agentId: 'maya', visibility: 'private' })
  await exchangeAll([one, two])
  t.deepEqual(await dumpOf(two), await dumpOf(one))
  t.regex((await dumpOf(one)).join(), /"superseded_by":"/u)
  t.regex((await dumpOf(two)).join(), new RegExp(secret, 'u'))
  const policyOf = async ({ daemon }: typeof one) =>
    (await daemon.store.tables.agents.find('maya'))?.read_policy
  t.is(await policyOf(two), await policyOf(one))

  const { body } = await one.call('DELETE /api/agents/:name', {
    params: { name: 'maya' },
    query: { purge: true },
  } as never)
  t.log(JSON.stringify(body))
  await until(async () => (await one.daemon.store.tables.memories.load([secret])).length === 0 || undefined)
  await exchangeAll([one, two])
  t.deepEqual(await two.daemon.store.tables.memories.load([secret]), [])
  const known = await two.daemon.store.tables.sync.knownAfter('', 100)
  t.false(known.some(row => row.known.includes('bilby')))
})

test('a save is sent by itself, a paused sync sends nothing, and a restart continues', async t => {
  const folder = syncFolder(t)
  const one = await startDaemon(t)
  await syncTogether(folder, [one])
  await exchangeAll([one])
  const sent = filesIn(folder, '.seg').length
  await one.remember('The kestrel nests on the crane.')
  await until(() => filesIn(folder, '.seg').length > sent || undefined)
  await one.call('POST /api/sync/pause', { body: { paused: true } })
  const before = filesIn(folder, '.seg').length
  await one.remember('The osprey dives at noon.')
  await one.call('POST /api/sync/run', { body: {} })
  t.is(filesIn(folder, '.seg').length, before)
  await one.stop()
  const again = await startDaemon(t, { workspace: one.paths.root })
  t.is((await again.call('GET /api/sync')).body.state, 'paused')
  await again.call('POST /api/sync/pause', { body: { paused: false } })
  await until(() => filesIn(folder, '.seg').length > before || undefined)
})
