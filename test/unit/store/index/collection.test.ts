import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Collection, Entry, Where } from '../../../../src/store/index/collection.js'
import { memories, transcripts } from '../../../../src/store/index/collections.js'
import { createIndex, loadIndex, type SearchIndex } from '../../../../src/store/index/orama/packed-index.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'
import { sampleEntry } from './sample-entry.js'

/** A collection without any field of memories. */
interface PieceEntry extends Entry {
  path: string
  language: string | null
  symbols: readonly string[]
  line: number
  generated: boolean
}

const pieces: Collection<PieceEntry, Where<PieceEntry>> = {
  schema: {
    name: 'pieces',
    hints: false,
    columns: { path: 'value', language: 'value', symbols: 'labels', line: 'number', generated: 'flag' },
    sessions: { key: 'path', time: 'line' },
  },
  where: (filter = {}) => filter,
}

const options = { dimensions: null, model: 'test' }

function piece(id: string, content: string, rest: Partial<PieceEntry> = {}): PieceEntry {
  const plain = { path: 'a.ts', language: 'ts', symbols: [], line: 1, generated: false }
  return { id, change: 1, content, ...plain, ...rest }
}

function indexOfPieces(): SearchIndex<PieceEntry, Where<PieceEntry>> {
  const index = createIndex(pieces, options)
  const entries = [
    piece('a1', 'open the fox file', { symbols: ['open', 'close'], change: 1 }),
    piece('a9', 'close the fox file', { symbols: ['close'], line: 9, change: 2 }),
    piece('b1', 'fox table', { path: 'b.sql', language: null, generated: true, change: 3 }),
    piece('c1', 'gone fox', { path: 'c.ts', change: 4 }),
  ]
  for (const entry of entries) index.upsert(entry)
  index.setVector('a1', Float32Array.of(1, 0))
  index.setVector('b1', Float32Array.of(0, 1))
  index.remove('c1')
  return index
}

async function temporaryFile(t: ExecutionContext): Promise<string> {
  const folder = temporaryFolder(t, 'index-collection')
  return join(folder, 'pieces.snapshot')
}

const filters: [Where<PieceEntry>, string[]][] = [
  [{}, ['a1', 'a9', 'b1']],
  [{ path: { eq: 'a.ts' } }, ['a1', 'a9']],
  [{ path: { in: ['b.sql', 'c.ts'] } }, ['b1']],
  [{ language: { exists: false } }, ['b1']],
  [{ symbols: { containsAll: ['open', 'close'] } }, ['a1']],
  [{ symbols: { containsAny: ['open', 'close'] }, line: { gte: 2 } }, ['a9']],
  [{ generated: false, line: { gte: 1, lte: 8 } }, ['a1']],
  [{ not: { or: [{ generated: true }, { line: { gte: 9 } }] } }, ['a1']],
]

async function resultsOf(index: SearchIndex<PieceEntry, Where<PieceEntry>>): Promise<string[][]> {
  const ids: string[][] = []
  for (const [filter] of filters) {
    const { keyword } = await index.search({ text: 'fox', filter, depth: 9 })
    ids.push(keyword.map(({ id }) => id).sort())
  }
  return ids
}

test('a collection with own fields can be filtered by each of them', async t => {
  t.deepEqual(
    await resultsOf(indexOfPieces()),
    filters.map(([, ids]) => ids),
  )
})

test('a repeated filter reflects added, changed and removed entries', async t => {
  const index = indexOfPieces()
  await resultsOf(index)
  index.upsert(piece('a9', 'close the fox file', { line: 3, change: 5 }))
  index.upsert(piece('d1', 'another fox', { path: 'd.ts', symbols: ['open'], line: 4, change: 6 }))
  index.remove('a1')
  const { keyword } = await index.search({ text: 'fox', filter: filters[6]![0], depth: 9 })
  t.deepEqual(keyword.map(({ id }) => id).sort(), ['a9', 'd1'])
})

test('entries of a group are ordered by the number field of the schema', async t => {
  const { facts, sessions, hints, ceilings } = await indexOfPieces().search({ text: 'fox file', depth: 9 })
  const length = { terms: 3, sessionTerms: 3 }
  t.deepEqual(facts.get('a1'), {
    who: null,
    createdAt: 1,
    session: 'a.ts',
    previous: null,
    next: 'a9',
    ...length,
  })
  t.deepEqual([...sessions.keys()].sort(), ['a.ts', 'b.sql'])
  t.deepEqual([hints, ceilings.hints], [[], 0])
})

test('an index of any collection is restored from its snapshot and continues', async t => {
  const file = await temporaryFile(t)
  const index = indexOfPieces()
  await index.save(file)
  const loaded = await loadIndex(file, pieces, options)
  t.deepEqual(await resultsOf(loaded), await resultsOf(index))
  const query = { text: 'open file', vector: Float32Array.of(1, 1), depth: 9 }
  const hitsIn = async (one: typeof index) => {
    const { timings: _, packed: __, ...hits } = await one.search(query)
    return hits
  }
  t.deepEqual(await hitsIn(loaded), await hitsIn(index))
  const { bytes: _, ...stats } = index.stats()
  t.like(loaded.stats(), stats)
  for (const each of [index, loaded])
    each.upsert(piece('e1', 'a new fox', { symbols: ['open', 'close'], change: 9 }))
  t.deepEqual(await resultsOf(loaded), await resultsOf(index))
})

test('changes during a save are included in the snapshot', async t => {
  const file = await temporaryFile(t)
  const index = indexOfPieces()
  const saving = index.save(file)
  index.upsert(piece('a1', 'changed fox', { symbols: ['later'], line: 20, change: 8 }))
  index.remove('b1')
  await saving
  const loaded = await loadIndex(file, pieces, options)
  t.deepEqual(await resultsOf(loaded), await resultsOf(index))
  const { keyword } = await loaded.search({ text: 'changed', filter: { line: { gte: 20 } }, depth: 9 })
  t.deepEqual(
    keyword.map(({ id }) => id),
    ['a1'],
  )
})

test('a snapshot of another collection or other columns is refused', async t => {
  const file = await temporaryFile(t)
  await indexOfPieces().save(file)
  const { line: _, ...columns } = pieces.schema.columns
  const fewer = { schema: { name: 'pieces', hints: false as const, columns }, where: () => ({}) }
  for (const other of [memories, transcripts, fewer])
    await t.throwsAsync(loadIndex(file, other as typeof transcripts, options), {
      name: 'SnapshotError',
      message: /^the snapshot has schema pieces \(path value; .*, this index /,
    })
})

test('a filter by an unknown column is refused', async t => {
  const index = indexOfPieces()
  // @ts-expect-error the types do not have it either
  const search = index.search({ text: 'fox', filter: { pinned: true }, depth: 9 })
  await t.throwsAsync(search, { name: 'RangeError', message: 'entries of pieces have no column pinned' })
})

test('a collection without hints and sessions skips their work', async t => {
  const index = createIndex(transcripts, options)
  const entry = { id: 'x#0', change: 1, content: 'the fox', agentId: 'a', project: null }
  index.upsert(entry)
  const { timings, facts, sessions, keyword } = await index.search({
    text: 'fox',
    filter: { agentId: 'a' },
    depth: 9,
  })
  t.deepEqual(Object.keys(timings), ['keyword'])
  t.deepEqual([facts.size, sessions.size, keyword.length], [0, 0, 1])
  const full = createIndex(memories, options)
  const fields = { who: 'Ann', project: 'p', scope: 's', tags: ['t'], hints: ['red'], session: 'x' }
  full.upsert(sampleEntry('x', 'the fox', fields))
  t.true(index.stats().bytes < full.stats().bytes / 2)
})
