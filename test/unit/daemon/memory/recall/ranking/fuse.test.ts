import test from 'ava'
import { CandidateRows } from '../../../../../../src/daemon/memory/recall/ranking/candidate-rows.js'
import {
  type Contribution,
  type ModelKind,
  totalEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { EvidenceTable } from '../../../../../../src/daemon/memory/recall/ranking/evidence-table.js'
import { fuse } from '../../../../../../src/daemon/memory/recall/ranking/fuse.js'
import { answersOf, factsOf, hitsOf, withFacts } from './sample-context.js'

/** Returns the contributions of the channels by id. */
function contributionsOf(hits: ReturnType<typeof hitsOf>, facts = factsOf({})): Map<string, Contribution[]> {
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
  new Map([...contributionsOf(hits)].map(([id, list]) => [id, totalEvidence(list)]))

/** Cosines of many rows unrelated to the query. */
const noise = (count: number, level: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`noise-${i}`, level + (i % 10) / 200]))

test('channels are merged by memory id (recall.md 1.3.5)', t => {
  const merged = contributionsOf(hitsOf({ keyword: { a: 0.5 }, hints: { a: 0.5, b: 1 }, vector: { a: 0.6 } }))
  t.deepEqual(
    merged.get('a')?.map(({ step }) => step),
    ['keyword', 'vector', 'hints'],
  )
  t.deepEqual(merged.get('b'), [{ step: 'hints', effect: 'add', value: 0.5 }])
})

test('keyword evidence is query coverage, independent of the best row', t => {
  const alone = evidenceOf(hitsOf({ keyword: { weak: 0.2 } }))
  const beside = evidenceOf(hitsOf({ keyword: { weak: 0.2, strong: 0.9 } }))
  t.is(alone.get('weak'), 0.2)
  t.is(beside.get('weak'), 0.2)
})

test('a row found only by vector appears among keyword matches', t => {
  const evidence = evidenceOf(
    hitsOf({ keyword: { word: 0.3 }, vector: { meaning: 0.7, ...noise(100, 0.15) } }),
  )
  t.true(evidence.get('meaning')! > evidence.get('word')!)
})

test('summed word vectors weigh less, even less in a talk, and do not decide answers', t => {
  const hits = hitsOf({ keyword: { word: 0.3, other: 0.1 }, vector: { meaning: 0.7, ...noise(100, 0.15) } })
  const talk = factsOf({ meaning: { session: 's', sessionTerms: 20 } })
  const worth = (...given: Parameters<typeof contributionsOf>) =>
    totalEvidence(contributionsOf(...given).get('meaning')!)
  const byWords = { ...hits, model: 'words' as const }
  t.true(worth(byWords) < worth(hits))
  t.true(worth(byWords, talk) < worth(byWords))
  t.is(worth(hits, talk), worth(hits))
  t.true(answersOf(hits).nearest > 0.5)
  t.is(answersOf(byWords).nearest, 0)
})

test('vectors of the packaged sentence model weigh more, less in a talk, and not when nothing is near', t => {
  const keyword = { word: 0.3, other: 0.1 }
  const hits = hitsOf({ keyword, vector: { meaning: 0.6, ...noise(100, 0.1) } })
  const far = hitsOf({ keyword, vector: { meaning: 0.12, ...noise(100, 0.1) } })
  const talk = factsOf({ meaning: { session: 's', sessionTerms: 20 } })
  const worth = (hits: ReturnType<typeof hitsOf>, model: ModelKind, facts?: typeof talk) =>
    totalEvidence(contributionsOf({ ...hits, model }, facts).get('meaning') ?? [])
  t.true(worth(hits, 'sentences') > 2 * worth(hits, 'other'))
  t.true(worth(hits, 'sentences', talk) < worth(hits, 'sentences'))
  t.true(worth(far, 'sentences') < worth(hits, 'sentences') / 4)
})

test('high cosines of a noisy model do not displace a keyword match', t => {
  for (const level of [0.05, 0.25, 0.7]) {
    const evidence = evidenceOf(hitsOf({ keyword: { word: 0.3 }, vector: noise(200, level) }))
    t.true(Math.max(...[...evidence].map(([id, e]) => (id === 'word' ? 0 : e))) < 0.1, `level ${level}`)
    t.is(evidence.get('word'), 0.3)
  }
})

test('vector evidence compares a row with the others, whatever the scale of the model', t => {
  const lift = (scale: number) => {
    const vector = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`r${i}`, scale * (0.3 + i / 200)]),
    )
    return evidenceOf(hitsOf({ keyword: { word: 0.3, other: 0.1 }, vector })).get('r59')!
  }
  t.true(Math.abs(lift(1) - lift(0.5)) < 1e-9)
  t.true(lift(1) > 0)
})

test('a vector never reduces keyword evidence', t => {
  const keyword = { name: 0.8, other: 0.2 }
  const evidence = evidenceOf(hitsOf({ keyword, vector: { name: -0.2, ...noise(60, 0.3) } }))
  t.is(evidence.get('name'), keyword.name)
})

test('with few rows, cosines count by closeness alone', t => {
  t.true(evidenceOf(hitsOf({ vector: { a: 0.8 } })).get('a')! > 0.7)
  const hits = hitsOf({ vector: { a: 0.2 } })
  t.is(answersOf(hits).coverage('a'), 0)
})

test('a row found by keyword and vector beats one found by either', t => {
  const evidence = evidenceOf(
    hitsOf({ keyword: { both: 0.4, word: 0.4 }, vector: { both: 0.6, meaning: 0.6, ...noise(60, 0.1) } }),
  )
  t.true(evidence.get('both')! > evidence.get('word')!)
  t.true(evidence.get('both')! > evidence.get('meaning')!)
})

test('scores that are not positive numbers are ignored', t => {
  const merged = contributionsOf(
    hitsOf({ keyword: { zero: 0, nan: Number.NaN }, vector: { far: -0.4, nan: Number.NaN } }),
  )
  t.is(merged.size, 0)
})
