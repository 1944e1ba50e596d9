import test from 'ava'
import { memories } from '../../../../../src/store/index/collections.js'
import { createIndex } from '../../../../../src/store/index/orama/packed-index.js'
import type { ChannelHit, IndexHits } from '../../../../../src/store/index/search.js'
import { sampleEntry } from '../sample-entry.js'

const fillers = (count: number, prefix = 'f') =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(4, '0')}`).join(' ')

/** Searches an index of these texts by id. */
function search(texts: Record<string, string>, text: string, evidence = true): Promise<IndexHits> {
  const index = createIndex(memories, { dimensions: null })
  for (const [id, content] of Object.entries(texts)) index.upsert(sampleEntry(id, content))
  return index.search({ text, evidence, depth: 50 })
}

const scoresOf = (hits: readonly ChannelHit[]) => new Map(hits.map(({ id, score }) => [id, score]))

test('texts under 20 terms score as if equally long, longer ones score less', async t => {
  const { keyword } = await search(
    { five: `fox ${fillers(4)}`, fifteen: `fox ${fillers(14)}`, sixty: `fox ${fillers(59)}` },
    'fox',
  )
  const scores = scoresOf(keyword)
  t.is(scores.get('five'), scores.get('fifteen'))
  t.true(scores.get('sixty')! < scores.get('fifteen')!)
})

test('removing a short text leaves other scores as if it never existed', async t => {
  const texts = { a: 'fox', b: `fox ${fillers(40)}` }
  const index = createIndex(memories, { dimensions: null })
  for (const [id, content] of Object.entries({ ...texts, gone: 'dog' }))
    index.upsert(sampleEntry(id, content))
  index.remove('gone')
  const { keyword } = await index.search({ text: 'fox', depth: 9 })
  t.deepEqual(keyword, (await search(texts, 'fox')).keyword)
})

test('a question word counts half in a query', async t => {
  const { keyword, ceilings } = await search({ named: 'fox', asked: 'wanted' }, 'wanted fox')
  const scores = scoresOf(keyword)
  t.is(scores.get('asked'), scores.get('named')! / 2)
  t.is(ceilings.words, 1.5)
})

test('rows that share distinctive terms with the best rows have expansion scores', async t => {
  const texts = { '1': 'fox cellar', '2': 'fox cellar stairs', '3': 'fox meadow', '4': 'cellar' }
  const scores = scoresOf((await search(texts, 'fox')).expansion)
  t.deepEqual([...scores.keys()].sort(), ['1', '2'])
  t.is(scores.get('1'), scores.get('2'))
})

test('a term of a single row expands nothing', async t => {
  t.deepEqual((await search({ '1': 'fox cellar', '2': 'fox meadow' }, 'fox')).expansion, [])
})

test('the query words expand nothing', async t => {
  t.deepEqual((await search({ '1': 'fox meadow', '2': 'fox meadow' }, 'fox meadow')).expansion, [])
})

for (const { terms, expanded } of [
  { terms: 1900, expanded: ['long', 'other'] },
  { terms: 2100, expanded: [] },
])
  test(`a row of ${terms} distinct terms ${expanded.length > 0 ? 'takes part in' : 'takes no part in'} expansion`, async t => {
    // The long row is by far the best, and the four rows between lack the word it shares with the last one.
    const between = Object.fromEntries(['a', 'b', 'c', 'd'].map(id => [id, `fox ${id}${id}`]))
    const long = `${'fox '.repeat(200)} cellar ${fillers(terms)}`
    const { keyword, expansion } = await search({ long, ...between, other: 'fox cellar' }, 'fox')
    t.is(keyword[0]?.id, 'long')
    t.is(keyword.at(-1)?.id, 'other')
    t.deepEqual(expansion.map(({ id }) => id).sort(), expanded)
  })

test('coverage is 1 for all query words, and less the rarer the missing ones are', async t => {
  const texts = { all: 'red fox den', common: 'red fox', rare: 'den', '4': 'red', '5': 'red fox' }
  const shares = scoresOf((await search(texts, 'red fox den')).coverage)
  t.is(shares.get('all'), 1)
  t.true(shares.get('rare')! > shares.get('4')!)
  t.true(Math.abs(shares.get('common')! + shares.get('rare')! - 1) < 1e-9)
})

test('a query word that no row contains lowers coverage', async t => {
  const { coverage, ceilings } = await search({ a: 'fox', b: 'dog' }, 'fox zeppelin')
  t.true(coverage[0]!.score <= 0.5)
  t.is(ceilings.unknown, 0.5)
})

test('coverage depends on whether a row contains a word, not how often', async t => {
  const texts = { once: 'fox', often: `fox fox fox ${fillers(100)}` }
  const shares = scoresOf((await search(texts, 'fox')).coverage)
  t.deepEqual([shares.get('once'), shares.get('often')], [1, 1])
})

test('occurrences count query words in a row, question words half', async t => {
  const texts = { once: 'fox', often: `fox fox wanted fox den ${fillers(100)}`, asked: 'wanted' }
  const counts = scoresOf((await search(texts, 'wanted fox')).occurrences)
  t.deepEqual([counts.get('once'), counts.get('often'), counts.get('asked')], [1, 3.5, 0.5])
})

test('a similar word counts in proportion to its similarity', async t => {
  const [found] = (await search({ a: 'zeppelin zeppelin' }, 'zepelin')).occurrences
  t.true(found!.score > 0 && found!.score < 2)
})

test('a search without evidence has no expansion, coverage and occurrences', async t => {
  const hits = await search({ '1': 'fox den', '2': 'fox den' }, 'fox', false)
  t.is(hits.keyword.length, 2)
  t.deepEqual([hits.expansion, hits.coverage, hits.occurrences], [[], [], []])
})

test('the volume is that of the rows that pass the filter', async t => {
  const index = createIndex(memories, { dimensions: null })
  for (let i = 0; i < 10; i++) index.upsert(sampleEntry(`${i}`, fillers(30), { project: i < 4 ? 'p' : null }))
  const volume = async (filter = {}) =>
    (await index.search({ text: 'fox', filter, depth: 1 })).ceilings.volume
  t.is(await volume(), 300)
  t.is(await volume({ projects: ['p'] }), 120)
})

test('hits of equal texts are those of their changes, whatever the order of insertion', async t => {
  const entries = Array.from({ length: 40 }, (_, change) =>
    sampleEntry(`m${change}`, `crane w${change} lifts to quay${change % 20}`, { change }),
  )
  const found = async (inserted: typeof entries) => {
    const index = createIndex(memories, { dimensions: null })
    for (const entry of inserted) index.upsert(entry)
    const { keyword, expansion } = await index.search({
      text: 'crane w7 lifts',
      evidence: true,
      depth: 12,
    })
    return { keyword, expansion }
  }
  t.deepEqual(await found(entries.toReversed()), await found(entries))
})
