import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import type { IndexLog, IndexSource } from '../../../../../src/daemon/ground/index/index-source.js'
import { createLiveIndex } from '../../../../../src/daemon/ground/index/live-index.js'
import { type MemoryEntry, memories } from '../../../../../src/store/index/collections.js'
import { unpackHits } from '../../../../../src/store/index/packed/packed-hits.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'
import { sampleEntry } from '../../../store/index/sample-entry.js'

interface Row {
  change: number
  content: string
}

const model = { provider: 'test', model: 'test' }

/** A database of rows whose ids are their first words. */
function sourceOf(rows: readonly Row[]): IndexSource<Row, MemoryEntry> {
  const id = ({ content }: Row) => content.split(' ')[0]!
  return {
    lastChange: async () => rows.at(-1)?.change ?? 0,
    countAlive: async () => rows.length,
    beforeChange: async change => rows.filter(row => row.change < change).toReversed(),
    afterChange: async change => rows.filter(row => row.change > change),
    entries: async some =>
      some.map(row => ({
        id: id(row),
        entry: sampleEntry(id(row), row.content, { change: row.change }),
        vector: new Float32Array([row.change, 1]),
      })),
  }
}

function snapshotFile(t: ExecutionContext): string {
  const folder = temporaryFolder(t, 'live-index')
  return join(folder, 'index.snapshot')
}

test('a start keeps snapshot rows except vectors, and adds missing rows', async t => {
  const shared = { file: snapshotFile(t), log: pino({ level: 'silent' }) }
  const before = [
    { change: 1, content: 'first fox' },
    { change: 2, content: 'second fox' },
  ]
  const first = createLiveIndex({ collection: memories, ...shared, source: sourceOf(before) })
  await first.use(model)
  await first.close()

  const now = [
    { change: 1, content: 'first must not be analysed again: dog' },
    { change: 3, content: 'second changed: dog' },
    { change: 4, content: 'third dog' },
  ]
  const second = createLiveIndex({ collection: memories, ...shared, source: sourceOf(now) })
  await second.use(model)
  const found = async (text: string) =>
    unpackHits(await second.search({ text, depth: 9 }))
      .keyword.map(({ id }) => id)
      .sort()
  t.deepEqual(await found('dog'), ['second', 'third'])
  t.deepEqual(await found('fox'), ['first'])
  t.like(await second.stats(), { vectors: 3, state: 'ready' })
  await second.close()
})

test('a search right after a start waits for the snapshot', async t => {
  const shared = { file: snapshotFile(t), log: pino({ level: 'silent' }), openMs: 2 ** 30 }
  const source = sourceOf([{ change: 1, content: 'first fox' }])
  const first = createLiveIndex({ collection: memories, ...shared, source })
  await first.use(model)
  await first.close()
  const second = createLiveIndex({ collection: memories, ...shared, source })
  const early = second.search({ text: 'fox', depth: 9 })
  const filled = second.use(model)
  const late = second.search({ text: 'fox', depth: 9 })
  for (const search of [early, late])
    t.like(unpackHits(await search), { complete: true, keyword: [{ id: 'first' }] })
  await filled
  await second.close()
})

test('a search does not wait for a long rebuild, and reports itself incomplete', async t => {
  const source = {
    ...sourceOf([{ change: 1, content: 'first fox' }]),
    countAlive: () => new Promise<number>(() => undefined),
    lastChange: () => new Promise<number>(() => undefined),
  }
  const live = createLiveIndex({
    collection: memories,
    file: snapshotFile(t),
    log: pino({ level: 'silent' }),
    source,
    rebuildOpenMs: 1,
    openMs: 2 ** 30,
  })
  void live.use(model)
  live.upsert(sampleEntry('new', 'a new fox'))
  t.like(unpackHits(await live.search({ text: 'fox', depth: 9 })), {
    complete: false,
    keyword: [{ id: 'new' }],
  })
})

test('a snapshot is kept if the database changes during the comparison', async t => {
  const shared = { file: snapshotFile(t), log: pino({ level: 'silent' }) }
  const rows = [{ change: 1, content: 'first fox' }]
  const first = createLiveIndex({ collection: memories, ...shared, source: sourceOf(rows) })
  await first.use(model)
  await first.close()
  const counts = [7, 1]
  const source = {
    ...sourceOf(rows),
    countAlive: async () => counts.shift()!,
    beforeChange: () => Promise.reject(new Error('the index is rebuilt')),
  }
  const second = createLiveIndex({ collection: memories, ...shared, source })
  await second.use(model)
  t.like(await second.stats(), { entries: 1, state: 'ready' })
  t.deepEqual(counts, [])
  await second.close()
})

test('searches continue while the model is switched (recall.md 1.3.8)', async t => {
  const never = new Promise<never>(() => undefined)
  const source = sourceOf([{ change: 1, content: 'first fox' }])
  const live = createLiveIndex({
    collection: memories,
    file: snapshotFile(t),
    log: pino({ level: 'silent' }),
    source,
    openMs: 2 ** 30,
  })
  await live.use(model)
  source.lastChange = () => never
  void live.use({ provider: 'another', model: 'model' })
  t.false(unpackHits(await live.search({ text: 'fox', depth: 9 })).complete)
})

/** A log that collects its lines as `level: text`. */
function keptLog(): { lines: string[]; log: IndexLog } {
  const lines: string[] = []
  const keep = (level: string) => (_: object, text: string) => void lines.push(`${level}: ${text}`)
  return { lines, log: { debug: keep('debug'), info: keep('info'), warn: keep('warn') } }
}

test('a missing snapshot is logged at debug level only', async t => {
  const { lines, log } = keptLog()
  const live = createLiveIndex({ collection: memories, file: snapshotFile(t), log, source: sourceOf([]) })
  await live.use(model)
  await live.close()
  t.deepEqual(lines, ['debug: no index snapshot yet'])
})

test('an unusable snapshot is logged', async t => {
  const file = snapshotFile(t)
  writeFileSync(file, 'no snapshot')
  const { lines, log } = keptLog()
  const live = createLiveIndex({ collection: memories, file, log, source: sourceOf([]) })
  await live.use(model)
  await live.close()
  t.deepEqual(lines, ['info: no usable index snapshot'])
})

test('an old snapshot without schema is rebuilt and replaced', async t => {
  const file = snapshotFile(t)
  copyFileSync(new URL('../../../../fixtures/index/version-05.snapshot', import.meta.url), file)
  const { lines, log } = keptLog()
  const source = sourceOf([
    { change: 1, content: 'first dog' },
    { change: 2, content: 'second dog' },
  ])
  const open = () => createLiveIndex({ collection: memories, file, log, source })
  const live = open()
  await live.use(model)
  const found = async (text: string) => unpackHits(await live.search({ text, depth: 9 })).keyword
  t.deepEqual(await found('fox'), [])
  t.is((await found('dog')).length, 2)
  await live.close()
  const again = open()
  await again.use(model)
  await again.close()
  t.deepEqual(lines, ['info: no usable index snapshot'])
})

test('closing ends a rebuild at its next slice', async t => {
  let pagesRead = 0
  const source: IndexSource<Row, MemoryEntry> = {
    ...sourceOf([]),
    lastChange: async () => 1_000_000,
    beforeChange: async change => {
      if (++pagesRead === 3) void live.close()
      return [{ change: change - 1, content: `row${change} fox` }]
    },
  }
  const log = pino({ level: 'silent' })
  const live = createLiveIndex({ collection: memories, file: snapshotFile(t), log, source })
  await live.use(model)
  t.is(pagesRead, 3)
  t.like(await live.stats(), { entries: 3, state: 'rebuilding' })
})
