import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createLiveMemories, toEntry } from '../../../../../src/daemon/ground/index/memory-entries.js'
import { MovableIndex } from '../../../../../src/daemon/ground/index/movable-index.js'
import { openShards, removeOtherShards } from '../../../../../src/daemon/ground/index/sharded-index.js'
import type { MemoryEntry, MemoryEntryFilter } from '../../../../../src/store/index/collections.js'
import type { IndexedMemory } from '../../../../../src/store/tables/memory/memories.js'
import { startDaemon, type TestDaemon } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const log = pino({ level: 'silent' })
const model = { provider: 'none', model: 'none' }
const crashingShard = new URL('../../memory/recall/crashing-shard.js', import.meta.url)

/** Opens a second index, in two threads, over the memories of a daemon. */
function openSecond(t: ExecutionContext, { daemon, paths }: TestDaemon, url?: URL) {
  const snapshot = join(paths.daemonDir, 'second.snapshot')
  const { countAlive, hasAtLeast } = daemon.store.tables.memories
  const opened = { threads: 0, here: 0 }
  const index = new MovableIndex<IndexedMemory, MemoryEntry, MemoryEntryFilter>({
    openHere: () => {
      opened.here++
      return createLiveMemories({ store: daemon.store, file: snapshot, log })
    },
    openThread: onDeath => {
      opened.threads++
      return openShards({
        collection: 'memories',
        database: paths.database,
        snapshot,
        log,
        onDeath,
        threads: 2,
        countAlive,
        ...(url && { url }),
      })
    },
    hasAtLeast,
    threadFrom: 0,
    log,
  })
  t.teardown(() => index.close())
  const found = async (text: string) =>
    (await index.search({ text, depth: 100, evidence: true })).keyword.map(({ id }) => id).sort()
  return { index, opened, found, snapshot }
}

async function fill(daemon: TestDaemon): Promise<string[]> {
  const ids = []
  for (let number = 0; number < 24; number++)
    ids.push(
      await daemon.remember(`Never crash fox number ${number}`, { sessionId: `session ${number % 6}` }),
    )
  return ids.sort()
}

test('a shard that dies is loaded again, and its memories are found again', async t => {
  const daemon = await startDaemon(t)
  const ids = await fill(daemon)
  const { index, opened, found } = openSecond(t, daemon, crashingShard)
  await index.use(model)
  t.deepEqual(await found('fox'), ids)
  await found('crash')
  await until(async () => (await index.stats()).state === 'ready')
  t.deepEqual(await found('crash'), ids)
  t.deepEqual(opened, { threads: 1, here: 1 })
})

test('if a shard dies again before it is loaded, the main thread takes all', async t => {
  const daemon = await startDaemon(t)
  const ids = await fill(daemon)
  const { index, opened, found } = openSecond(t, daemon, crashingShard)
  await index.use(model)
  await found('crash zebra').catch(() => undefined)
  await until(async () => opened.here === 2 && (await index.stats()).state === 'ready')
  t.deepEqual(await found('crash zebra'), ids)
})

test('a memory that moves to another session is found once, and checks find nothing wrong', async t => {
  const daemon = await startDaemon(t)
  const ids = await fill(daemon)
  const { index, found } = openSecond(t, daemon)
  await index.use(model)
  const rows = await daemon.daemon.store.tables.memories.load(ids)
  for (const [at, row] of rows.entries()) {
    const moved = { ...row, session_id: `moved ${at}`, change: row.change + 1000 }
    if (at % 2 === 0) index.upsert(toEntry(moved, []))
    else await index.apply([moved])
  }
  t.deepEqual(await found('fox'), ids)
  t.like(await index.stats(), { entries: 24, state: 'ready' })
  t.deepEqual(await index.lacking('entries', [...ids, 'absent']), ['absent'])
  await index.rebuild()
  t.like(await index.check(0, 100), { rows: 24, missing: [], stale: [], drifted: [], strays: [] })
  index.remove(ids[0]!)
  await index.settled()
  t.deepEqual((await index.check(0, 100)).missing, [ids[0]])
})

test('each shard has a snapshot, and those of other numbers of threads are removed', async t => {
  const daemon = await startDaemon(t)
  const ids = await fill(daemon)
  const { index, snapshot } = openSecond(t, daemon)
  writeFileSync(snapshot, 'the snapshot of one index')
  await index.use(model)
  await index.close()
  const files = [snapshot, `${snapshot}.1-of-2`, `${snapshot}.2-of-2`]
  t.deepEqual(files.map(existsSync), [false, true, true])
  // A memory whose deletion no shard saw: the sum of all shards differs from the database.
  await daemon.call('DELETE /api/memory/:id', { params: { id: ids[0]! }, query: { reason: 'wrong' } })
  const again = openSecond(t, daemon)
  await again.index.use(model)
  t.deepEqual(await again.found('fox'), ids.slice(1))
  await again.index.close()
  removeOtherShards(snapshot, 1, log)
  t.deepEqual(files.map(existsSync), [false, false, false])
})
