import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createLiveMemories, toEntry } from '../../../../../src/daemon/ground/index/memory-entries.js'
import { MovableIndex } from '../../../../../src/daemon/ground/index/movable-index.js'
import { startIndexThread } from '../../../../../src/daemon/ground/index/threaded-index.js'
import type { MemoryEntry, MemoryEntryFilter } from '../../../../../src/store/index/collections.js'
import type { IndexedMemory } from '../../../../../src/store/tables/memory/memories.js'
import { startDaemon, type TestDaemon } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const log = pino({ level: 'silent' })
const model = { provider: 'none', model: 'none' }
const crashingThread = new URL('../../memory/recall/crashing-index-thread.js', import.meta.url)

/** Opens a second index over the memories of a daemon; the test passes changes on to it. */
function openSecond(
  t: ExecutionContext,
  { daemon, paths }: TestDaemon,
  options: { threadFrom: number; url?: URL; openThread?: () => never },
) {
  const { hasAtLeast } = daemon.store.tables.memories
  const file = join(paths.daemonDir, 'second.snapshot')
  const opened = { threads: 0, here: 0 }
  const index = new MovableIndex({
    openHere: () => {
      opened.here++
      return createLiveMemories({ store: daemon.store, file, log })
    },
    openThread: onDeath => {
      opened.threads++
      options.openThread?.()
      const { url } = options
      const { database } = paths
      const thread = { collection: 'memories' as const, database, snapshot: file, log, onDeath }
      return startIndexThread<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
        ...thread,
        ...(url && { url }),
      })
    },
    hasAtLeast,
    threadFrom: options.threadFrom,
    log,
  })
  t.teardown(() => index.close())
  const found = async (text: string) => (await index.search({ text, depth: 20 })).keyword.map(({ id }) => id)
  return { index, opened, found }
}

async function rowOf({ daemon }: TestDaemon, id: string): Promise<IndexedMemory> {
  const [row] = await daemon.store.tables.memories.load([id])
  return row!
}

test('a small store is searched in the main thread, a large one in a worker thread', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The fox jumps over the fence')
  await daemon.remember('Lunch is at noon')
  const small = openSecond(t, daemon, { threadFrom: 3 })
  await small.index.use(model)
  t.deepEqual(await small.found('fox'), [id])
  t.is(small.opened.threads, 0)
  const large = openSecond(t, daemon, { threadFrom: 2 })
  await large.index.use(model)
  t.deepEqual(await large.found('fox'), [id])
  t.is(large.opened.threads, 1)
  t.like(await large.index.stats(), { entries: 2, state: 'ready' })
})

test('a grown index moves to a thread with every change made during the move', async t => {
  const daemon = await startDaemon(t)
  const first = await daemon.remember('The fox jumps over the fence')
  const { index, opened, found } = openSecond(t, daemon, { threadFrom: 2 })
  await index.use(model)
  t.is(opened.threads, 0)
  const second = await daemon.remember('Another fox sleeps')
  const third = await daemon.remember('A third fox eats')
  const row = await rowOf(daemon, second)
  for (let i = 0; i < 500; i++) index.upsert(toEntry(row, []))
  await until(() => opened.threads === 1)
  index.upsert(toEntry(await rowOf(daemon, third), []))
  index.remove(first)
  await index.settled()
  t.deepEqual((await found('fox')).sort(), [second, third].sort())
})

test('an index that many announced entries will enlarge moves at once, and keeps what comes beside', async t => {
  const daemon = await startDaemon(t)
  const first = await daemon.remember('The fox jumps over the fence')
  const { index, opened, found } = openSecond(t, daemon, { threadFrom: 10 })
  await index.use(model)
  index.expect(8)
  const second = await daemon.remember('Another fox sleeps')
  await index.apply([await rowOf(daemon, second)])
  t.is(opened.threads, 0, 'it stays small')
  index.expect(9)
  const third = await daemon.remember('A third fox eats')
  index.upsert(toEntry(await rowOf(daemon, third), []))
  await until(() => opened.threads === 1)
  await index.settled()
  t.deepEqual((await found('fox')).sort(), [first, second, third].sort())
})

test('the main thread answers what a dying thread did not, from all stored rows', async t => {
  const daemon = await startDaemon(t)
  const ids = [await daemon.remember('Never crash now'), await daemon.remember('Lunch is at noon')]
  const { index, opened, found } = openSecond(t, daemon, { threadFrom: 0, url: crashingThread })
  await index.use(model)
  t.deepEqual(await found('lunch'), [ids[1]])
  await found('crash now')
  await until(async () => (await index.stats()).state === 'ready')
  t.deepEqual(await found('crash'), [ids[0]])
  t.deepEqual(opened, { threads: 1, here: 2 })
  await index.use({ provider: 'another', model: 'model' })
  t.deepEqual(await found('lunch'), [ids[1]])
  t.is(opened.threads, 1)
})

test('after a failed move the index continues completely, even with another model', async t => {
  const daemon = await startDaemon(t)
  const ids = [await daemon.remember('The fox jumps'), await daemon.remember('Another fox sleeps')]
  const noThread = new URL('./no-such-thread.js', import.meta.url)
  const { index, opened, found } = openSecond(t, daemon, { threadFrom: 2, url: noThread })
  await index.use(model)
  t.is(opened.threads, 1)
  t.deepEqual((await found('fox')).sort(), ids.toSorted())
  const third = await daemon.remember('A third fox')
  await index.apply([await rowOf(daemon, third)])
  await index.use({ provider: 'another', model: 'model' })
  t.like(await index.stats(), { entries: 3, state: 'ready' })
  t.deepEqual((await found('third')).sort(), [third])
})

test('a large index continues in the main thread if no thread starts', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('The fox jumps')
  const { index, opened, found } = openSecond(t, daemon, {
    threadFrom: 2,
    openThread: () => {
      throw new Error('no thread today')
    },
  })
  await index.use(model)
  const second = await daemon.remember('Another fox sleeps')
  const row = await rowOf(daemon, second)
  for (let i = 0; i < 500; i++) index.upsert(toEntry(row, []))
  await until(() => opened.threads === 1)
  await index.use({ provider: 'another', model: 'model' })
  t.like(await index.stats(), { entries: 2, state: 'ready' })
  t.deepEqual((await found('fox')).sort(), [id, second].sort())
})

test('a change lost by a dying thread is applied by the new index', async t => {
  const daemon = await startDaemon(t)
  const id = await daemon.remember('Never crash now')
  const { index, found } = openSecond(t, daemon, { threadFrom: 0, url: crashingThread })
  await index.use(model)
  const row = await rowOf(daemon, id)
  const crash = found('crash now')
  await t.notThrowsAsync(index.apply([row]))
  await crash
  await until(async () => (await index.stats()).state === 'ready')
  t.deepEqual(await found('never'), [id])
})

test('a thread that dies during close does not fail the close', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('Never crash now')
  const { index, found } = openSecond(t, daemon, { threadFrom: 0, url: crashingThread })
  await index.use(model)
  const crash = found('crash now').catch(() => 'closed')
  await t.notThrowsAsync(index.close())
  await crash
})
