import test from 'ava'
import { CandidateRows } from '../../../../../../src/daemon/memory/recall/ranking/candidate-rows.js'
import {
  type Contribution,
  totalEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { EvidenceTable } from '../../../../../../src/daemon/memory/recall/ranking/evidence-table.js'
import { fuse } from '../../../../../../src/daemon/memory/recall/ranking/fuse.js'
import { answersOf, factsOf, hitsOf, withFacts } from './sample-context.js'

/** What the channels give, by id. */
function fused(hits: ReturnType<typeof hitsOf>, facts = factsOf({})): Map<string, Contribution[]> {
  const known = withFacts(hits, facts)
  const rows = new CandidateRows(known)
  const table = new EvidenceTable(rows)
  table.find(fuse(known, rows))
  const places = Array.from({ length: rows.count }, (_, place) => place)
  return new Map(
    places
      .filter(place => table.has(place))
      .map(place => [rows.id(place), table.contributions(place)] as const),
  )
}

const evidenceOf = (hits: ReturnType<typeof hitsOf>) =>
  new Map([...fused(hits)].map(([id, list]) => [id, totalEvidence(list)]))

/** Cosines of many rows that have nothing to do with the query. */
const noise = (count: number, level: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`noise-${i}`, level + (i % 10) / 200]))

test('channels are merged per memory id (recall.md 1.3.5)', t => {
  const merged = fused(hitsOf({ keyword: { a: 0.5 }, hints: { a: 0.5, b: 1 }, vector: { a: 0.6 } }))
  t.deepEqual(
    merged.get('a')?.map(({ step }) => step),
    ['keyword', 'vector', 'hints'],
  )
  t.deepEqual(merged.get('b'), [{ step: 'hints', effect: 'add', value: 0.5 }])
})

test('keyword evidence is coverage of the query, not the distance from the best row', t => {
  const alone = evidenceOf(hitsOf({ keyword: { weak: 0.2 } }))
  const beside = evidenceOf(hitsOf({ keyword: { weak: 0.2, strong: 0.9 } }))
  t.is(alone.get('weak'), 0.2)
  t.is(beside.get('weak'), 0.2)
})

test('a row that only the vector finds surfaces beside grounded rows', t => {
  const evidence = evidenceOf(
    hitsOf({ keyword: { word: 0.3 }, vector: { meaning: 0.7, ...noise(100, 0.15) } }),
  )
  t.true(evidence.get('meaning')! > evidence.get('word')!)
})

test('sums of word vectors weigh less, less again for a turn of a talk, and tell nothing of whether a row answers', t => {
  const hits = hitsOf({ keyword: { word: 0.3, other: 0.1 }, vector: { meaning: 0.7, ...noise(100, 0.15) } })
  const talk = factsOf({ meaning: { session: 's', sessionTerms: 20 } })
  const worth = (...given: Parameters<typeof fused>) => totalEvidence(fused(...given).get('meaning')!)
  const byWords = { ...hits, wordVectors: true }
  t.true(worth(byWords) < worth(hits))
  t.true(worth(byWords, talk) < worth(byWords))
  t.is(worth(hits, talk), worth(hits))
  t.true(answersOf(hits).nearest > 0.5)
  t.is(answersOf(byWords).nearest, 0)
})

test('the noise of a model with high cosines does not push out a grounded row', t => {
  for (const level of [0.05, 0.25, 0.7]) {
    const evidence = evidenceOf(hitsOf({ keyword: { word: 0.3 }, vector: noise(200, level) }))
    t.true(Math.max(...[...evidence].map(([id, e]) => (id === 'word' ? 0 : e))) < 0.1, `level ${level}`)
    t.is(evidence.get('word'), 0.3)
  }
})

test('what one model calls near another calls far: how much a row stands out is what counts', t => {
  const lift = (scale: number) => {
    const vector = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`r${i}`, scale * (0.3 + i / 200)]),
    )
    return evidenceOf(hitsOf({ keyword: { word: 0.3, other: 0.1 }, vector })).get('r59')!
  }
  t.true(Math.abs(lift(1) - lift(0.5)) < 1e-9)
  t.true(lift(1) > 0)
})

test('a vector takes nothing from rows that words found', t => {
  const keyword = { name: 0.8, other: 0.2 }
  const evidence = evidenceOf(hitsOf({ keyword, vector: { name: -0.2, ...noise(60, 0.3) } }))
  t.is(evidence.get('name'), keyword.name)
})

test('few cosines count by their nearness alone', t => {
  t.true(evidenceOf(hitsOf({ vector: { a: 0.8 } })).get('a')! > 0.7)
  const hits = hitsOf({ vector: { a: 0.2 } })
  t.is(answersOf(hits).coverage('a'), 0)
})

test('a row that both word and vector find beats one that only one of them finds', t => {
  const evidence = evidenceOf(
    hitsOf({ keyword: { both: 0.4, word: 0.4 }, vector: { both: 0.6, meaning: 0.6, ...noise(60, 0.1) } }),
  )
  t.true(evidence.get('both')! > evidence.get('word')!)
  t.true(evidence.get('both')! > evidence.get('meaning')!)
})

test('scores that are no positive numbers are no evidence', t => {
  const merged = fused(
    hitsOf({ keyword: { zero: 0, nan: Number.NaN }, vector: { far: -0.4, nan: Number.NaN } }),
  )
  t.is(merged.size, 0)
})
