import test from 'ava'
import {
  holderLabels,
  type MemoryEntry,
  type MemoryEntryFilter,
  memories,
} from '../../../../../src/store/index/collections.js'
import { createIndex, type SearchIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { sampleEntry } from '../sample-entry.js'

function indexOf(...entries: MemoryEntry[]): SearchIndex<MemoryEntry, MemoryEntryFilter> {
  const index = createIndex(memories, { dimensions: null })
  for (const entry of entries) index.upsert(entry)
  return index
}

async function foundIds(
  index: SearchIndex<MemoryEntry, MemoryEntryFilter>,
  text: string,
  filter: MemoryEntryFilter = {},
): Promise<string[]> {
  const { keyword } = await index.search({ text, filter, depth: 10 })
  return keyword.map(hit => hit.id).sort()
}

test('a memory is found by its words, author and hints', async t => {
  const index = indexOf(
    sampleEntry('1', 'The deployment failed at night', { who: 'Caroline', hints: ['release outage'] }),
    sampleEntry('2', 'Lunch was good'),
  )
  t.deepEqual(await foundIds(index, 'deployments'), ['1'])
  t.deepEqual(await foundIds(index, 'What did Caroline say?'), ['1'])
  const { keyword, hints } = await index.search({ text: 'outages', depth: 10 })
  t.deepEqual(keyword, [])
  t.is(hints[0]?.id, '1')
})

test('a query of stop words and punctuation is not searchable (recall.md 1.3.7)', async t => {
  const index = indexOf(sampleEntry('1', 'What is the answer?'))
  for (const text of ['what is the', '?! ...', '']) {
    const hits = await index.search({ text, depth: 10 })
    t.false(hits.searchable)
    t.deepEqual(hits.keyword, [])
  }
})

test('filters restrict each channel before scoring (recall.md 1.3.3 and 1.3.4)', async t => {
  const index = indexOf(
    sampleEntry('plain', 'fox'),
    sampleEntry('rich', 'fox', {
      type: 'rule',
      tags: ['x', 'y'],
      who: 'Ann',
      project: 'p',
      pinned: true,
      importance: 0.9,
      createdAt: 50,
    }),
    sampleEntry('scoped', 'fox', { scope: 's', tags: ['x'] }),
  )
  const cases: [MemoryEntryFilter, string[]][] = [
    [{}, ['plain', 'rich', 'scoped']],
    [{ types: ['rule', 'other'] }, ['rich']],
    [{ types: [] }, []],
    [{ tags: ['x', 'y'] }, ['rich']],
    [{ tags: ['x'] }, ['rich', 'scoped']],
    [{ tags: ['unknown'] }, []],
    [{ who: 'Ann' }, ['rich']],
    [{ who: 'Nobody' }, []],
    [{ projects: ['p'] }, ['rich']],
    [{ scope: 's' }, ['scoped']],
    [{ scope: null }, ['plain', 'rich']],
    [{ pinned: true }, ['rich']],
    [{ pinned: false }, ['plain', 'scoped']],
    [{ importanceMin: 0.9 }, ['rich']],
    [{ since: 50, until: 50 }, ['rich']],
    [{ until: 49 }, ['plain', 'scoped']],
    [{ since: 0, importanceMin: 0.5, scope: null, tags: ['x'] }, ['rich']],
  ]
  for (const [filter, expected] of cases)
    t.deepEqual(await foundIds(index, 'fox', filter), expected, JSON.stringify(filter))
})

test('a row is found by agent, project and scope of any holder', async t => {
  const first = { agentId: 'a', project: 'p', scope: 's' }
  const others = [
    { agent_id: 'b', project: 'q', scope: null, visibility: 'global' },
    { agent_id: 'c', project: null, scope: 'u', visibility: 'private' },
  ]
  const index = indexOf(
    sampleEntry('held', 'fox', { ...first, held: holderLabels(others) }),
    sampleEntry('plain', 'fox', first),
    sampleEntry('gone', 'fox', { ...first, visibility: 'archived', held: holderLabels(others) }),
  )
  const cases: [MemoryEntryFilter, string[]][] = [
    [{ agents: ['a'] }, ['held', 'plain']],
    [{ agents: ['b'] }, ['gone', 'held']],
    [{ agents: ['c'], projects: ['q'], scope: 'u' }, ['gone', 'held']],
    [{ agents: ['d'], includeGlobal: true }, ['gone', 'held']],
    [{ agents: ['d'] }, []],
    [{ projects: ['p'] }, ['held', 'plain']],
    [{ projects: ['q'] }, ['held']],
    [{ scope: null }, ['held']],
    [{ scope: 'other' }, []],
  ]
  for (const [filter, expected] of cases)
    t.deepEqual(await foundIds(index, 'fox', filter), expected, JSON.stringify(filter))
  index.upsert(sampleEntry('held', 'fox', { ...first, change: 2 }))
  t.deepEqual(await foundIds(index, 'fox', { projects: ['q'] }), [])
})

test('agents see their own rows, global rows on request, and never archived rows (recall.md 1.3.2)', async t => {
  const index = indexOf(
    sampleEntry('mine', 'fox', { agentId: 'me' }),
    sampleEntry('archived', 'fox', { agentId: 'me', visibility: 'archived' }),
    sampleEntry('theirs', 'fox', { agentId: 'they' }),
    sampleEntry('shared', 'fox', { agentId: 'they', visibility: 'global' }),
  )
  t.deepEqual(await foundIds(index, 'fox'), ['mine', 'shared', 'theirs'])
  t.deepEqual(await foundIds(index, 'fox', { agents: ['me'] }), ['mine'])
  t.deepEqual(await foundIds(index, 'fox', { agents: ['me'], includeGlobal: true }), ['mine', 'shared'])
  t.deepEqual(await foundIds(index, 'fox', { agents: [] }), [])
  t.deepEqual(await foundIds(index, 'fox', { agents: ['nobody'], includeGlobal: true }), ['shared'])
})

test('a repeated filter sees added, changed and removed rows', async t => {
  const index = indexOf(sampleEntry('1', 'fox', { project: 'p' }))
  t.deepEqual(await foundIds(index, 'fox', { projects: ['p'] }), ['1'])
  index.upsert(sampleEntry('2', 'fox', { project: 'p' }))
  index.upsert(sampleEntry('1', 'fox', { project: 'q', change: 2 }))
  t.deepEqual(await foundIds(index, 'fox', { projects: ['p'] }), ['2'])
  index.remove('2')
  t.deepEqual(await foundIds(index, 'fox', { projects: ['p'] }), [])
})

test('an update replaces words and keeps the vector, and an older change is ignored', async t => {
  const index = indexOf(sampleEntry('1', 'old words', { change: 5 }))
  index.setVector('1', new Float32Array([1, 0]))
  index.upsert(sampleEntry('1', 'new text', { change: 6 }))
  index.upsert(sampleEntry('1', 'stale text', { change: 4 }))
  t.deepEqual(await foundIds(index, 'old'), [])
  t.deepEqual(await foundIds(index, 'stale'), [])
  t.deepEqual(await foundIds(index, 'new'), ['1'])
  const { vector } = await index.search({ text: '', vector: new Float32Array([1, 0]), depth: 5 })
  t.is(vector[0]?.id, '1')
  t.is(index.stats().change, 6)
})

test('removing deletes words, hints and vector', async t => {
  const index = indexOf(sampleEntry('1', 'fox', { hints: ['animal'] }), sampleEntry('2', 'dog'))
  index.setVector('1', new Float32Array([1, 0]))
  t.true(index.remove('1'))
  t.false(index.remove('1'))
  t.false(index.has('1'))
  const hits = await index.search({ text: 'fox animal', vector: new Float32Array([1, 0]), depth: 5 })
  t.deepEqual([hits.keyword, hits.hints, hits.vector], [[], [], []])
  t.like(index.stats(), { entries: 1, vectors: 0, terms: 1 })
  index.upsert(sampleEntry('1', 'fox'))
  t.is((await index.search({ text: '', vector: new Float32Array([1, 0]), depth: 5 })).vector.length, 0)
})

test('vectors of another length are refused', t => {
  const index = indexOf(sampleEntry('1', 'fox'))
  index.setVector('1', new Float32Array([1, 0]))
  t.throws(() => index.setVector('1', new Float32Array([1, 0, 0])), { instanceOf: RangeError })
})

test('facts contain the neighbours in a session by time, then by arrival', async t => {
  const index = indexOf(
    sampleEntry('c', 'third', { session: 's', createdAt: 2 }),
    sampleEntry('a', 'first', { session: 's', createdAt: 1, who: 'Ann' }),
    sampleEntry('d', 'fourth', { session: 's', createdAt: 2 }),
    sampleEntry('alone', 'other'),
  )
  const factsOf = async (id: string, text: string) => (await index.search({ text, depth: 1 })).facts.get(id)
  t.deepEqual(await factsOf('a', 'first'), {
    who: 'Ann',
    createdAt: 1,
    session: 's',
    previous: null,
    next: 'c',
    terms: 2,
    sessionTerms: 1,
  })
  t.like(await factsOf('c', 'third'), { previous: 'a', next: 'd' })
  // Row `c` is two rows away from the only hit.
  t.like(await factsOf('c', 'first'), { previous: 'a', next: null })
  t.is(await factsOf('d', 'first'), undefined)
  t.like(await factsOf('alone', 'other'), { session: null, previous: null, next: null })
  index.remove('c')
  t.like(await factsOf('d', 'fourth'), { previous: 'a', next: null })
  t.is(await factsOf('c', 'fourth'), undefined)
})

test('facts contain the distinct terms of a row and the row lengths of its session', async t => {
  const index = indexOf(
    sampleEntry('a', 'fox fox dog', { session: 's' }),
    sampleEntry('b', 'red lazy dog sleeping', { session: 's' }),
    sampleEntry('alone', 'fox fox cat'),
  )
  const { facts } = await index.search({ text: 'fox', depth: 9 })
  t.like(facts.get('a'), { terms: 2, sessionTerms: 3 })
  t.like(facts.get('b'), { terms: 4, sessionTerms: 3 })
  t.like(facts.get('alone'), { terms: 2, sessionTerms: 3 })
  index.remove('b')
  t.like((await index.search({ text: 'fox', depth: 9 })).facts.get('a'), { sessionTerms: 3 })
})

test('sessions score as one entry each, from the visible rows', async t => {
  const index = indexOf(
    sampleEntry('1', 'red fox', { session: 's1' }),
    sampleEntry('2', 'lazy dog', { session: 's1' }),
    sampleEntry('3', 'fox', { session: 's2', agentId: 'b' }),
  )
  const all = await index.search({ text: 'fox dog', depth: 5 })
  t.true(all.sessions.get('s1')! > all.sessions.get('s2')!)
  const own = await index.search({ text: 'fox dog', depth: 5, filter: { agents: ['a'] } })
  t.deepEqual([...own.sessions.keys()], ['s1'])
})

test('exact vectors decide the order of the best rows', async t => {
  const exact = new Map([
    ['1', new Float32Array([1, 0])],
    ['2', new Float32Array([0, 1])],
  ])
  const index = createIndex(memories, { dimensions: 2, loadVectors: async () => exact })
  for (const id of exact.keys()) {
    index.upsert(sampleEntry(id, 'text'))
    index.setVector(id, new Float32Array([0.7, 0.7]))
  }
  const { vector } = await index.search({ text: '', vector: new Float32Array([0, 2]), depth: 2 })
  t.deepEqual(vector, [
    { id: '2', score: 1 },
    { id: '1', score: 0 },
  ])
})

test('a changed vector is scored with its new value, and a removed one is not found', async t => {
  const exact = new Map<string, Float32Array>()
  const index = createIndex(memories, { dimensions: 2, loadVectors: async () => exact })
  const store = (id: string, ...vector: number[]) => {
    exact.set(id, Float32Array.from(vector))
    index.setVector(id, exact.get(id)!)
  }
  const scores = async () => {
    const { vector } = await index.search({ text: '', vector: Float32Array.of(0, 1), depth: 2 })
    return vector.map(({ id, score }) => `${id} ${score}`)
  }
  for (const id of ['1', '2']) index.upsert(sampleEntry(id, 'text'))
  store('1', 1, 0)
  store('2', 0, 1)
  t.deepEqual(await scores(), ['2 1', '1 0'])
  store('1', 0, 2)
  store('2', 3, 0)
  t.deepEqual(await scores(), ['1 1', '2 0'])
  index.remove('1')
  t.deepEqual(await scores(), ['2 0'])
})
