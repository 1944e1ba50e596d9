import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { writeCheckpoint } from '../../../src/daemon/operations/sync/exchange/checkpoint.js'
import { readConfig, syncOf } from '../../../src/daemon/operations/sync/exchange/config.js'
import { exchangeOnce } from '../../../src/daemon/operations/sync/exchange/exchange.js'
import { openExchange } from '../../../src/daemon/operations/sync/exchange/open-exchange.js'
import { newReport } from '../../../src/daemon/operations/sync/exchange/runtime.js'
import { folderTransport } from '../../../src/daemon/operations/sync/transports/folder.js'
import { type Transport, TransportFault } from '../../../src/daemon/operations/sync/transports/transport.js'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { until } from '../../helpers/daemon-process.js'
import { dumpOf, exchangeAll, filesIn, manual, syncFolder, syncTogether } from '../../helpers/sync.js'

const dayMs = 86_400_000

/** Machines whose clock a test sets. */
async function machines(t: Parameters<typeof startDaemon>[0], count: number) {
  const time = { aheadMs: 0 }
  const clock = () => new Date(Date.now() + time.aheadMs)
  const all: TestDaemon[] = []
  for (let at = 0; at < count; at++) all.push(await startDaemon(t, { ...manual, clock }))
  return { all, time, pass: (ms: number) => (time.aheadMs += ms) }
}

async function purge({ call, daemon }: TestDaemon, name: string): Promise<void> {
  await call('DELETE /api/agents/:name', { params: { name }, query: { purge: true } } as never)
  const { sync } = daemon.store.tables
  const isGone = async () => (await sync.rowsChanged(0, 1000)).every(row => row.agent_id !== name)
  await until(isGone, 20_000)
}

test('after a purge no older file has the text, and a new machine begins with the checkpoint', async t => {
  const folder = syncFolder(t)
  const { all, pass } = await machines(t, 3)
  const [one, two, three] = all as [TestDaemon, TestDaemon, TestDaemon]
  await one.remember('The heron queue holds 500 messages.')
  await one.remember('Maya keeps a bilby.', { agentId: 'maya', visibility: 'private' })
  await two.remember('The osprey dives at noon.')
  await syncTogether(folder, [one, two])
  await exchangeAll([one, two])
  const before = new Set(filesIn(folder, '.seg'))
  await purge(one, 'maya')
  await exchangeAll([one, two])
  t.true(filesIn(folder, '.cp').length > 0)
  pass(700_000)
  await exchangeAll([one, two], 4)
  t.deepEqual(
    filesIn(folder, '.seg').filter(name => before.has(name)),
    [],
  )
  t.deepEqual(await dumpOf(two), await dumpOf(one))

  const { body: asked } = await three.call('POST /api/sync/join', {
    body: { address: folder, name: 'third' },
  })
  await one.call('POST /api/sync/approve', { body: { code: asked.code } })
  await exchangeAll([three])
  t.deepEqual(await dumpOf(three), await dumpOf(one))
  t.notRegex((await dumpOf(three)).join(), /bilby/u)
  t.regex((await dumpOf(three)).join(), /osprey/u)
  for (const file of filesIn(folder, '')) t.notRegex(readFileSync(file, 'latin1'), /bilby|osprey|heron/iu)
})

test('segments in a checkpoint stay 30 days, and until every living machine has read them', async t => {
  const folder = syncFolder(t)
  const { all, pass } = await machines(t, 3)
  const [one, two, three] = all as [TestDaemon, TestDaemon, TestDaemon]
  await syncTogether(folder, [one, two, three])
  await exchangeAll(all)
  await one.remember('The heron queue holds 500 messages.')
  await exchangeAll([one, two])
  await writeNow(one)
  const kept = filesIn(folder, '.seg')
  pass(29 * dayMs)
  await exchangeAll([one, two])
  t.true(kept.every(name => filesIn(folder, '.seg').includes(name)))
  // The third one has not been seen for more than 30 days, so nothing waits for it.
  pass(2 * dayMs)
  await exchangeAll([one, two], 4)
  t.false(kept.some(name => filesIn(folder, '.seg').includes(name)))
  await three.remember('The osprey dives at noon.')
  await exchangeAll([three, one, two])
  t.deepEqual(await dumpOf(three), await dumpOf(one))
  t.deepEqual(await dumpOf(two), await dumpOf(one))
  t.regex((await dumpOf(three)).join(), /heron queue.*osprey|osprey.*heron queue/u)
})

test('a machine that is stopped at any step of an exchange loses nothing', async t => {
  const folder = syncFolder(t)
  const { all, pass } = await machines(t, 2)
  const [one, two] = all as [TestDaemon, TestDaemon]
  await syncTogether(folder, [one, two])
  await exchangeAll([one, two])
  let steps = 0
  for (let at = 0; at < 40; at++) {
    await one.remember(`The heron counts ${at} boats.`)
    await one.remember('Maya keeps a bilby.', { agentId: `maya${at % 3}`, visibility: 'private' })
    if (at % 3 === 2) await purge(one, `maya${at % 3}`)
    pass(3_700_000)
    for (const machine of [one, two]) steps += await stopAfter(machine, folder, at % 14)
    if (at % 10 === 9) {
      pass(31 * dayMs)
      await writeNow(two)
    }
  }
  t.log({ steps, files: filesIn(folder, '').length })
  await exchangeAll([one, two], 5)
  t.deepEqual(await dumpOf(two), await dumpOf(one))
  t.is((await dumpOf(one)).filter(line => /heron counts.*"kind":"memory"/u.test(line)).length, 40)
  const three = await startDaemon(t, { ...manual, clock: one.daemon.clock })
  const { body } = await three.call('POST /api/sync/join', { body: { address: folder, name: 'third' } })
  await one.call('POST /api/sync/approve', { body: { code: body.code } })
  await exchangeAll([three])
  t.deepEqual(await dumpOf(three), await dumpOf(one))
})

test('a checkpoint that is cut waits, and the next machine reads it when it is whole', async t => {
  const folder = syncFolder(t)
  const { all, pass } = await machines(t, 2)
  const [one, two] = all as [TestDaemon, TestDaemon]
  await syncTogether(folder, [one])
  await one.remember('The heron queue holds 500 messages.')
  await exchangeAll([one])
  await writeNow(one)
  pass(31 * dayMs)
  await exchangeAll([one], 4)
  const [part] = filesIn(folder, '.part')
  const whole = readFileSync(part!)
  truncateSync(part!, whole.length - 20)
  const { body } = await two.call('POST /api/sync/join', { body: { address: folder, name: 'second' } })
  await two.call('POST /api/sync/run', { body: {} })
  t.notRegex((await dumpOf(two)).join(), /heron/u)
  writeFileSync(part!, whole)
  await one.call('POST /api/sync/approve', { body: { code: body.code } })
  await exchangeAll([two])
  t.regex((await dumpOf(two)).join(), /heron/u)
})

/** Writes a checkpoint before one is due. */
async function writeNow({ daemon }: TestDaemon): Promise<void> {
  const config = (await readConfig(daemon.store.tables))!
  await syncOf(daemon).inLine(async () => {
    const exchange = await openExchange(daemon, config, newReport(daemon))
    const covers = await daemon.store.tables.sync.segments()
    const at = daemon.clock().getTime()
    await writeCheckpoint(exchange, folderTransport(config.address), { covers, at, afterPurge: false })
  })
}

/** Runs an exchange whose store fails after some changes to it. @returns the changes that were made */
async function stopAfter({ daemon }: TestDaemon, folder: string, changes: number): Promise<number> {
  const whole = folderTransport(folder)
  let made = 0
  const change = async (work: () => Promise<void>): Promise<void> => {
    if (made >= changes) throw new TransportFault('stopped')
    made++
    await work()
  }
  const stopping: Transport = {
    ...whole,
    put: (name, bytes) => change(() => whole.put(name, bytes)),
    remove: name => change(() => whole.remove(name)),
  }
  await syncOf(daemon).inLine(async () => {
    const config = (await readConfig(daemon.store.tables))!
    const runtime = syncOf(daemon)
    // After a kill nothing of it is left in memory.
    runtime.notes.clear()
    await exchangeOnce(daemon, config, newReport(daemon), runtime, stopping).catch((error: unknown) => {
      if (!(error instanceof TransportFault)) throw error
    })
  })
  return made
}
