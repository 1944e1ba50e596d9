import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { memories, type TranscriptEntry, transcripts } from '../../../../../src/store/index/collections.js'
import { createIndex, type SearchIndex } from '../../../../../src/store/index/orama/packed-index.js'
import {
  createSegmentedIndex,
  loadSegmentedIndex,
  type Sealing,
} from '../../../../../src/store/index/segments/segmented-index.js'
import { SnapshotError } from '../../../../../src/store/index/snapshot/frames.js'
import BetterSqlite from '../../../../../src/store/sqlite/connection/driver.js'
import { createSegmentFile } from '../../../../../src/store/tables/sessions/segment-file.js'
import { until } from '../../../../helpers/daemon-process.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

const options = { dimensions: null }
type Index = SearchIndex<TranscriptEntry, { agentId: string; project?: string }>

interface IndexPaths {
  sealing: Sealing
  snapshot: string
  faults: unknown[]
}

function indexPaths(t: ExecutionContext, sealFrom = 50): IndexPaths {
  const folder = temporaryFolder(t, 'segments')
  const faults: unknown[] = []
  const sealing = {
    segments: join(folder, 'segments'),
    sealFrom,
    onFault: (error: unknown) => faults.push(error),
  }
  return { sealing, snapshot: join(folder, 'snapshot'), faults }
}

function open(t: ExecutionContext, { sealing }: IndexPaths): Index {
  const index = createSegmentedIndex(transcripts, { ...options, ...sealing })
  t.teardown(() => index.close())
  return index
}

const vocabulary = Array.from({ length: 300 }, (_, n) => `word${((n * 7919) % 1009).toString(36)}`)

/** Returns a reproducible text of a few frequent and a few rare words. */
function textOf(n: number): string {
  let state = n + 1
  return Array.from({ length: 20 + (n % 60) }, () => {
    state = (state * 48_271) % 2_147_483_647
    const share = (state % 10_000) / 10_000
    return vocabulary[Math.floor(share * share * vocabulary.length)]
  }).join(' ')
}

function entryOf(n: number, rest: Partial<TranscriptEntry> = {}): TranscriptEntry {
  return {
    id: `b${n}#0`,
    change: n + 1,
    content: textOf(n),
    agentId: n % 3 === 0 ? 'other' : 'default',
    project: n % 2 === 0 ? '/shop' : null,
    ...rest,
  }
}

const queries = ['worda word1 wordq', textOf(7).slice(0, 60), 'wordab', 'wird1', 'the of and', 'never said']

async function ranksOf(index: Index, filter?: { agentId: string; project?: string }) {
  return Promise.all(
    queries.map(async text => {
      const { keyword, ...rest } = await index.search({ text, depth: 40, ...(filter && { filter }) })
      const { searchable, ceilings } = rest
      return {
        keyword: keyword.map(({ id, score }) => ({ id, score: score.toFixed(6) })).sort(byScoreAndId),
        searchable,
        ceiling: ceilings.keyword.toFixed(6),
        unknown: ceilings.unknown,
      }
    }),
  )
}

/** Entries with equal scores may come in any order. */
const byScoreAndId = (a: { id: string; score: string }, b: { id: string; score: string }): number =>
  Number(b.score) - Number(a.score) || a.id.localeCompare(b.id)

/** Returns an in-memory index of all entries. */
function indexInMemory(entries: readonly TranscriptEntry[]): Index {
  const index = createIndex(transcripts, options)
  for (const entry of entries) index.upsert(entry)
  return index
}

const sample = Array.from({ length: 230 }, (_, n) => entryOf(n))

test('sealed entries are found with the ranks of an in-memory index', async t => {
  const at = indexPaths(t)
  const index = open(t, at)
  for (const entry of sample) index.upsert(entry)
  await index.save(at.snapshot)
  t.is(index.stats().entries, sample.length)
  const reference = indexInMemory(sample)
  for (const filter of [undefined, { agentId: 'default' }, { agentId: 'other', project: '/shop' }])
    t.deepEqual(await ranksOf(index, filter), await ranksOf(reference, filter))
  t.deepEqual(at.faults, [])
})

test('searches see every entry while it is sealed', async t => {
  const index = open(t, indexPaths(t))
  const reference = indexInMemory(sample)
  const expected = (await reference.search({ text: 'worda', depth: 300 })).keyword.map(({ id }) => id).sort()
  for (const entry of sample) index.upsert(entry)
  const [now, later] = [
    index.search({ text: 'worda', depth: 300 }),
    index.search({ text: 'worda', depth: 300 }),
  ]
  for (const { keyword } of await Promise.all([now, later]))
    t.deepEqual(keyword.map(({ id }) => id).sort(), expected)
})

test('changed and removed entries are found in their current state, wherever stored', async t => {
  const at = indexPaths(t)
  const index = open(t, at)
  const kept = new Map(sample.map(entry => [entry.id, entry]))
  const change = (n: number): void => {
    const entry = entryOf(n, { content: `${textOf(n + 1000)} swan`, change: 1000 + n })
    kept.set(entry.id, entry)
    index.upsert(entry)
  }
  const remove = (n: number): void => {
    kept.delete(`b${n}#0`)
    t.true(index.remove(`b${n}#0`))
    t.false(index.remove(`b${n}#0`), 'it is gone')
  }
  for (const entry of sample) index.upsert(entry)
  // These change while the first segment is written.
  for (const n of [3, 4, 120]) remove(n)
  for (const n of [5, 6, 121]) change(n)
  await index.save(at.snapshot)
  for (const n of [7, 60, 225]) remove(n)
  for (const n of [8, 61, 226]) change(n)
  index.upsert(entryOf(61, { change: 1 }))
  t.is(index.stats().entries, kept.size)
  t.is(index.changeOf('b61#0'), 1061, 'what is older changes nothing')
  const found = await index.search({ text: 'swan', depth: 20 })
  t.deepEqual(found.keyword.map(({ id }) => id).sort(), ['b121#0', 'b226#0', 'b5#0', 'b6#0', 'b61#0', 'b8#0'])
  for (const n of [3, 4, 7, 60, 120, 225]) t.false(index.has(`b${n}#0`))
})

test('a start loads sealed and saved entries, and the newer version wins', async t => {
  const at = indexPaths(t)
  const first = open(t, at)
  for (const entry of sample.slice(0, 110)) first.upsert(entry)
  await first.save(at.snapshot)
  // Some entries are sealed or changed after the snapshot.
  for (const entry of sample.slice(110)) first.upsert(entry)
  first.upsert(entryOf(2, { content: 'swan', change: 900 }))
  first.remove('b20#0')
  await first.save(`${at.snapshot}.unused`)
  await first.close()
  const second = await loadSegmentedIndex(at.snapshot, transcripts, { ...options, ...at.sealing })
  t.teardown(() => second.close())
  // The last thirty entries and the changed one come from the database.
  t.is(second.stats().entries, 200 - 2)
  for (const entry of sample.slice(200)) second.upsert(entry)
  second.upsert(entryOf(2, { content: 'swan', change: 900 }))
  const expected = sample
    .filter(({ id }) => id !== 'b20#0')
    .map(entry => (entry.id === 'b2#0' ? entryOf(2, { content: 'swan', change: 900 }) : entry))
  t.is(second.stats().entries, expected.length)
  t.deepEqual(
    (await second.search({ text: 'swan', depth: 9 })).keyword.map(({ id }) => id),
    ['b2#0'],
  )
})

test('without its snapshot an index has the sealed entries, without segments it is empty', async t => {
  const at = indexPaths(t)
  const index = open(t, at)
  for (const entry of sample) index.upsert(entry)
  await index.save(at.snapshot)
  await index.close()
  rmSync(at.snapshot)
  const again = await loadSegmentedIndex(at.snapshot, transcripts, { ...options, ...at.sealing })
  t.is(again.stats().entries, 200)
  t.is(again.stats().change, 200)
  await again.close()
  createSegmentFile(at.sealing.segments, 'another version').close()
  await t.throwsAsync(loadSegmentedIndex(at.snapshot, transcripts, { ...options, ...at.sealing }), {
    instanceOf: SnapshotError,
  })
})

test('entries that cannot be sealed stay in memory and are sealed later', async t => {
  const at = indexPaths(t)
  const missing = join(at.snapshot, 'nowhere', 'segments')
  const index = createSegmentedIndex(transcripts, { ...options, ...at.sealing, segments: missing })
  for (const entry of sample) index.upsert(entry)
  await t.throwsAsync(index.save(at.snapshot), { message: /segment/u })
  t.true(at.faults.length > 0)
  t.is(index.stats().entries, sample.length)
  t.deepEqual(await ranksOf(index), await ranksOf(indexInMemory(sample)))
  await index.close()
})

test('words of removed entries are deleted from disk', async t => {
  const at = indexPaths(t)
  const index = createSegmentedIndex(transcripts, { ...options, ...at.sealing, tidyAfterMs: 1 })
  t.teardown(() => index.close())
  for (const entry of sample)
    index.upsert({ ...entry, content: `${entry.content} only${entry.id.slice(1, -2)}` })
  await index.save(at.snapshot)
  const file = new BetterSqlite(at.sealing.segments, { readonly: true })
  t.teardown(() => file.close())
  const count = (query: string) => file.prepare<[], number>(query).pluck().get()
  t.is(count("SELECT count(*) FROM postings_1 WHERE term = 'only3'"), 1)
  t.is(count("SELECT count(*) FROM postings_2 WHERE term = 'only60'"), 1)
  for (let n = 50; n < 100; n++) index.remove(`b${n}#0`)
  index.remove('b3#0')
  await until(async () =>
    count('SELECT count(*) FROM segments') === 3 &&
    count("SELECT count(*) FROM postings_1 WHERE term = 'only3'") === 0
      ? true
      : undefined,
  )
  const tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%postings%'"
  t.is(count(tables), 3, 'a segment without entries is gone')
  const left = sample
    .filter(({ id }) => index.has(id))
    .map(entry => ({ ...entry, content: `${entry.content} only${entry.id.slice(1, -2)}` }))
  t.is(left.length, sample.length - 51)
  t.deepEqual(await ranksOf(index), await ranksOf(indexInMemory(left)))
})

test('no bytes of removed words remain in the file (imports.md#removing)', async t => {
  const at = indexPaths(t)
  const index = createSegmentedIndex(transcripts, { ...options, ...at.sealing, tidyAfterMs: 1 })
  t.teardown(() => index.close())
  // Long and numerous words make pages of the file split and merge.
  const secret = (n: number, at: number) =>
    `marked${(n * 7919 + at * 104_729) % 1_000_003}${'q'.repeat(at % 40)}of${n}end`
  const contentOf = (n: number) => Array.from({ length: 60 }, (_, at) => secret(n, at)).join(' ')
  for (let n = 0; n < 200; n++) index.upsert(entryOf(n, { content: contentOf(n) }))
  await index.save(at.snapshot)
  const gone = (n: number) => n % 3 !== 0 || (n >= 50 && n < 100)
  t.true(readFileSync(at.sealing.segments).length > 0)
  for (let n = 0; n < 200; n++) if (gone(n)) index.remove(`b${n}#0`)
  const held = () => {
    const files = [at.sealing.segments, `${at.sealing.segments}-wal`].map(name =>
      readFileSync(name, 'latin1'),
    )
    return new Set([...files.join('').matchAll(/of(\d+)end/gu)].map(([, n]) => Number(n)))
  }
  await until(() => [...held()].every(n => !gone(n)))
  t.true(held().has(0))
  t.deepEqual(at.faults, [])
})

test('only a collection filtered by values can be sealed', t => {
  const at = indexPaths(t)
  t.throws(() => createSegmentedIndex(memories as never, { ...options, ...at.sealing }), {
    instanceOf: RangeError,
  })
  t.false(existsSync(at.sealing.segments))
})
