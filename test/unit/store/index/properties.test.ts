import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import {
  type MemoryEntry,
  type MemoryEntryFilter,
  memories,
} from '../../../../src/store/index/collections.js'
import { createIndex } from '../../../../src/store/index/orama/packed-index.js'
import type { ChannelHit } from '../../../../src/store/index/search.js'
import { observe } from './observe.js'
import { referenceBm25, referenceFilter, sessionBm25 } from './reference-bm25.js'
import { sampleEntry } from './sample-entry.js'

// Words that analysis does not change, too short for corrections.
const words = Array.from({ length: 40 }, (_, i) => `q${String(i).padStart(2, '0')}`)
// A word with a lower number is more frequent.
const word = fc.integer({ min: 0, max: 40 ** 2 - 1 }).map(n => words[39 - Math.floor(Math.sqrt(n))]!)
// Sentences shorter and longer than the minimum length used in scoring.
const sentence = fc.array(word, { maxLength: 40 }).map(list => list.join(' '))
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const oneOf = (...values: string[]) => fc.constantFrom(...values)

const fields = fc.record({
  content: sentence,
  hints: fc.array(sentence, { maxLength: 2 }),
  type: oneOf('fact', 'rule'),
  tags: fc.subarray(['t1', 't2', 't3']),
  project: fc.option(oneOf('p', 'q')),
  scope: fc.option(oneOf('s')),
  agentId: oneOf('a', 'b', 'c'),
  visibility: oneOf('private', 'global', 'archived'),
  pinned: fc.boolean(),
  importance: fc.constantFrom(0, 0.3, 0.5, 1),
  createdAt: fc.integer({ min: 0, max: 20 }),
  session: fc.option(oneOf('s1', 's2', 's3', 's4')),
  held: optional(fc.subarray(['agent a', 'agent c', 'project p', 'scope', 'scope s', 'all'])),
})

const filter: fc.Arbitrary<MemoryEntryFilter> = fc.record(
  {
    types: optional(fc.subarray(['fact', 'rule', 'none'])),
    tags: optional(fc.subarray(['t1', 't2', 'none'])),
    project: optional(oneOf('p', 'none')),
    scope: optional(fc.option(oneOf('s'))),
    agents: optional(fc.subarray(['a', 'b', 'none'])),
    includeGlobal: optional(fc.boolean()),
    pinned: optional(fc.boolean()),
    importanceMin: optional(fc.constantFrom(0.3, 0.5)),
    since: optional(fc.integer({ min: 0, max: 20 })),
    until: optional(fc.integer({ min: 0, max: 20 })),
  },
  { requiredKeys: [] },
)

type Fields = typeof fields extends fc.Arbitrary<infer T> ? T : never

const idOf = (number: number) => `id${String(number).padStart(3, '0')}`
const split = (text: string) => text.split(' ').filter(Boolean)

/** Returns reference scores as hits: best first, ties in the order of entries. */
function expectedHits(
  scores: Map<string, number>,
  entries: readonly MemoryEntry[],
  allowed: MemoryEntryFilter,
) {
  return entries
    .filter(entry => scores.has(entry.id) && referenceFilter(entry, allowed))
    .map(({ id }) => ({ id, score: scores.get(id)! }))
    .sort((a, b) => (Math.abs(a.score - b.score) < 1e-9 ? 0 : b.score - a.score))
}

function sessionTexts(entries: readonly MemoryEntry[], allowed: MemoryEntryFilter) {
  const keys = new Set(entries.flatMap(entry => entry.session ?? []))
  return Array.from(keys, key => {
    const own = entries.filter(entry => entry.session === key)
    const termsOf = (rows: readonly MemoryEntry[]) => rows.flatMap(entry => split(entry.content))
    return { key, terms: termsOf(own), visible: termsOf(own.filter(row => referenceFilter(row, allowed))) }
  })
}

/** Returns the expected hits of a search. */
function expected(entries: readonly MemoryEntry[], query: readonly string[], allowed: MemoryEntryFilter) {
  const content = entries.map(entry => ({ key: entry.id, terms: split(entry.content) }))
  const hinted = entries.filter(entry => entry.hints.length > 0)
  const hints = hinted.map(entry => ({ key: entry.id, terms: split(entry.hints.join(' ')) }))
  const sessions = referenceBm25(sessionTexts(entries, allowed), query, sessionBm25)
  return {
    keyword: expectedHits(referenceBm25(content, query), entries, allowed),
    hints: expectedHits(referenceBm25(hints, query), entries, allowed),
    sessions: Array.from(sessions, ([id, score]) => ({ id, score })).sort(byId),
  }
}

const byId = (a: ChannelHit, b: ChannelHit) => (a.id < b.id ? -1 : 1)

function assertSame(t: ExecutionContext, actual: readonly ChannelHit[], wanted: readonly ChannelHit[]): void {
  t.deepEqual(
    actual.map(hit => hit.id),
    wanted.map(hit => hit.id),
  )
  for (const [i, { score }] of actual.entries()) t.true(Math.abs(score - wanted[i]!.score) < 1e-6)
}

test('BM25 of words, hints and sessions equals a reference on 1,000 filtered queries', async t => {
  const rows = fc.array(fields, { minLength: 1, maxLength: 60 })
  const query = fc.tuple(fc.array(word, { minLength: 1, maxLength: 6 }), filter)
  const queries = fc.array(query, { minLength: 20, maxLength: 20 })
  const agrees = fc.asyncProperty(rows, queries, async (rows, queries) => {
    const entries = rows.map((row, i) => sampleEntry(idOf(i), row.content, row))
    const index = createIndex(memories, { dimensions: null })
    for (const entry of entries) index.upsert(entry)
    for (const [query, allowed] of queries) {
      const hits = await index.search({ text: query.join(' '), filter: allowed, depth: 100 })
      const wanted = expected(entries, query, allowed)
      assertSame(t, hits.keyword, wanted.keyword)
      assertSame(t, hits.hints, wanted.hints)
      const sessions = Array.from(hits.sessions, ([id, score]) => ({ id, score })).sort(byId)
      assertSame(t, sessions, wanted.sessions)
    }
  })
  await fc.assert(agrees, { numRuns: 50 })
})

type Step = { row: number; fields: Fields } | { remove: number } | { embed: number; vector: Float32Array }

const row = fc.integer({ min: 0, max: 15 })
const vector = fc.float32Array({ minLength: 3, maxLength: 3, min: -1, max: 1, noNaN: true })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ row, fields }) },
  { weight: 1, arbitrary: fc.record({ remove: row }) },
  { weight: 2, arbitrary: fc.record({ embed: row, vector }) },
)

test('inserting, changing and removing in any order equals a rebuild', async t => {
  const equals = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async steps => {
    const index = createIndex(memories, { dimensions: 3 })
    const entries = new Map<string, MemoryEntry>()
    const vectors = new Map<string, Float32Array>()
    for (const [change, step] of steps.entries()) {
      if ('remove' in step) {
        t.is(index.remove(idOf(step.remove)), entries.delete(idOf(step.remove)))
        vectors.delete(idOf(step.remove))
      } else if ('embed' in step) {
        index.setVector(idOf(step.embed), step.vector)
        if (entries.has(idOf(step.embed))) vectors.set(idOf(step.embed), step.vector)
      } else {
        const entry = sampleEntry(idOf(step.row), step.fields.content, { ...step.fields, change })
        index.upsert(entry)
        entries.set(entry.id, entry)
      }
    }
    const rebuilt = createIndex(memories, { dimensions: 3 })
    for (const entry of entries.values()) rebuilt.upsert(entry)
    for (const [id, vector] of vectors) rebuilt.setVector(id, vector)
    const queries = [
      { text: words.join(' '), vector: new Float32Array([1, 0.5, -0.2]) },
      { text: words.slice(0, 3).join(' '), filter: { agents: ['a'], includeGlobal: true } },
      { text: words.slice(5, 30).join(' '), filter: { tags: ['t1'], project: 'p', scope: null } },
    ]
    const ids = Array.from({ length: 16 }, (_, i) => idOf(i))
    t.deepEqual(await observe(index, ids, queries), await observe(rebuilt, ids, queries))
  })
  await fc.assert(equals, { numRuns: 150 })
})
