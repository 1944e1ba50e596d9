import test from 'ava'
import fc from 'fast-check'
import {
  confidenceIn,
  mayAnswer,
  signsOf,
} from '../../../../../../src/daemon/memory/recall/ranking/confidence.js'
import type { ModelKind } from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import {
  factsWithoutIndex,
  rankCandidates,
  refineWithContent,
  stepsWithoutFacts,
} from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { weights } from '../../../../../../src/daemon/memory/recall/ranking/weights.js'
import { answersOf, contentContextOf, factsOf, hitsOf, now, rankingOf } from './sample-context.js'

type RankingFields = Parameters<typeof rankingOf>[1]

const confidence = (channels: Parameters<typeof rankingOf>[0], given?: RankingFields) =>
  rankingOf(channels, given).confidence.value
const lengthOf = (terms: number): RankingFields => ({ facts: factsOf({ a: { terms } }) })
const askedOf = (unknown: number, volume: number): RankingFields => ({ asked: { words: 3, unknown, volume } })

test('no results means no confidence and no answer', t => {
  const none = { value: 0, answers: false, best: 0, least: 0 }
  t.deepEqual(confidenceIn([], contentContextOf()), none)
  t.deepEqual(rankingOf({}).confidence, none)
})

test('more evidence raises confidence', t => {
  const coverage = () => 0.5
  t.true(
    confidence({ keyword: { a: 0.5 } }, { coverage }) > confidence({ keyword: { a: 0.25 } }, { coverage }),
  )
})

test('a higher coverage of the query raises confidence', t => {
  const covered = (share: number) => confidence({ keyword: { a: 0.5 } }, { coverage: () => share })
  t.true(covered(0.9) > covered(0.3))
})

test('a row that repeats the query words raises confidence', t => {
  const said = (count: number) => confidence({ keyword: { a: 0.5 }, occurrences: { a: count } })
  t.true(said(6) > said(2))
  t.true(said(2) > said(1))
})

test('a longer row lowers confidence, because it contains more words by chance', t => {
  const channels = { keyword: { a: 0.4 } }
  t.true(confidence(channels, lengthOf(400)) < confidence(channels, lengthOf(40)))
  t.is(confidence(channels, lengthOf(1)), confidence(channels, lengthOf(12)))
})

test('a larger store lowers confidence', t => {
  const channels = { keyword: { a: 0.4 } }
  t.true(confidence(channels, askedOf(0, 1_000_000)) < confidence(channels, askedOf(0, 10_000)))
})

test('query words that no row contains lower confidence', t => {
  const channels = { keyword: { a: 0.4 } }
  t.true(confidence(channels, askedOf(0.75, 10_000)) < confidence(channels, askedOf(0.25, 10_000)))
})

test('a second row as good as the best lowers confidence', t => {
  t.true(confidence({ keyword: { a: 0.6, b: 0.6 } }) < confidence({ keyword: { a: 0.6, b: 0.2 } }))
})

test('a hinted row counts with its own evidence, not with the cap', t => {
  const { ranked, confidence } = rankingOf({ keyword: { weak: 0.15 }, hints: { hinted: 1 } })
  const signs = signsOf(ranked, contentContextOf())!
  t.is(confidence.best, 0.15)
  t.is(signs.strongest, 0.5)
})

test('rows found only through a vector or hints take their coverage from these', t => {
  const covered = (channels: Parameters<typeof rankingOf>[0]) => {
    const { coverage } = answersOf(hitsOf(channels))
    return signsOf(rankingOf(channels).ranked, contentContextOf({ coverage }))!.covered
  }
  t.is(covered({ hints: { a: 0.7 } }), 0.7)
  t.true(covered({ vector: { a: 0.8 } }) > 0.7)
})

test('coverage through hints or a vector counts as one occurrence', t => {
  const said = (channels: Parameters<typeof rankingOf>[0]) => {
    const { occurrences } = answersOf(hitsOf(channels))
    return signsOf(rankingOf(channels).ranked, contentContextOf({ occurrences }))!.said
  }
  t.is(said({ hints: { a: 1 } }), 3)
  t.true(said({ vector: { a: 0.8 } }) > 2)
  t.is(said({ hints: { a: 1 }, occurrences: { a: 5 } }), 5)
})

test('a store too small for statistics is treated as if rows shared one query word', t => {
  const { ranked } = rankingOf({ keyword: { a: 0.5 } })
  const signs = (volume: number) => signsOf(ranked, contentContextOf(askedOf(0, volume)))!
  t.deepEqual([signs(8000).second, signs(8000).noise], [0, 0])
  t.true(Math.abs(signs(800).second - 0.6) < 1e-9)
  t.true(Math.abs(signs(800).noise - 0.3) < 1e-9)
})

test('the small-store assumption cuts off no rows', t => {
  const channels = { keyword: { a: 0.5, b: 0.2 } }
  t.is(rankingOf(channels, askedOf(0, 40)).confidence.least, rankingOf(channels).confidence.least)
})

test('a row close in meaning answers without any query word', t => {
  const { ranked } = rankingOf({ vector: { a: 0.8 } })
  const far = contentContextOf({ ...askedOf(1, 10_000_000) })
  t.false(confidenceIn(ranked, far).answers)
  t.true(confidenceIn(ranked, { ...far, nearest: 0.5 }).answers)
})

test('summed word vectors alone do not make a row an answer', t => {
  const { ranked } = rankingOf({ keyword: { a: 0.2 }, vector: { a: 0.8 } })
  const signs = (model: ModelKind) => signsOf(ranked, contentContextOf({ model }))!
  t.true(Math.abs(signs('words').strongest - 0.2) < 1e-9)
  t.true(signs('other').strongest > 0.2)
})

test('the packaged sentence model tells by the nearest row whether one answers', t => {
  const { ranked } = rankingOf({ keyword: { a: 0.2 }, vector: { a: 0.8 } })
  const answers = (cosine: number, compared: boolean) =>
    confidenceIn(ranked, contentContextOf({ ...askedOf(0.5, 2000), cosine, compared: () => compared }))
      .answers
  t.true(answers(0.6, true))
  t.false(answers(0.1, true))
})

test('a row without a vector yet may answer by its words', t => {
  const { ranked } = rankingOf({ keyword: { a: 1 } })
  const words = { ...askedOf(0, 400), coverage: () => 1, occurrences: () => 3 }
  const answers = (isCompared: boolean) =>
    confidenceIn(ranked, contentContextOf({ ...words, cosine: 0.05, compared: () => isCompared })).answers
  t.true(answers(false))
  t.false(answers(true))
})

test('the score of the best row is the confidence', t => {
  const { ranked, confidence } = rankingOf({ keyword: { a: 0.8, b: 0.5 } })
  t.is(ranked[0]!.score, confidence.value)
})

test('scores stay within 0..1 and follow the ranking', t => {
  const values = fc.array(fc.double({ min: 0.001, max: 3, noNaN: true }), { minLength: 1, maxLength: 60 })
  const unknown = fc.double({ min: 0, max: 1, noNaN: true })
  const volume = fc.integer({ min: 0, max: 10_000_000 })
  fc.assert(
    fc.property(values, unknown, volume, (values, unknown, volume) => {
      const keyword = Object.fromEntries(values.map((value, i) => [`id${i}`, value]))
      const scores = rankingOf({ keyword }, askedOf(unknown, volume)).ranked.map(({ score }) => score)
      return scores.every((score, i) => score >= 0 && score <= 1 && score <= (scores[i - 1] ?? 1))
    }),
  )
  t.pass()
})

test('rows judged unable to answer never answer, whatever their values', t => {
  const share = fc.double({ min: 0, max: 1.3, noNaN: true })
  const row = fc.record({
    keyword: share,
    occurrences: fc.nat(9),
    text: fc.constantFrom('text', 'by 5 pm on Tuesday', 'many words of a longer text that is here alone'),
  })
  const given = fc.record({
    rows: fc.array(row, { minLength: 1, maxLength: 30 }),
    query: fc.constantFrom('deploy key rotation', 'when do the keys rotate'),
    unknown: fc.double({ min: 0, max: 1, noNaN: true }),
    volume: fc.integer({ min: 100, max: 5_000_000 }),
  })
  const counts = { answered: 0, unable: 0 }
  fc.assert(
    fc.property(given, ({ rows, query, unknown, volume }) => {
      const scoresOf = (field: 'keyword' | 'occurrences') =>
        Object.fromEntries(rows.map((one, at) => [`r${at}`, one[field]]))
      const hits = hitsOf({ keyword: scoresOf('keyword'), occurrences: scoresOf('occurrences') })
      const asked = { words: 3, unknown, volume }
      const answers = {
        asked,
        nearest: 0,
        compared: answersOf(hits).compared,
        coverage: answersOf(hits).coverage,
        occurrences: answersOf(hits).occurrences,
      }
      const ranked = rankCandidates({ query, hits, now }, stepsWithoutFacts).ranked.slice()
      const contents = new Map(rows.map(({ text }, at) => [`r${at}`, text]))
      const facts = new Map([...contents].map(([id, text]) => [id, factsWithoutIndex(text)]))
      const refined = refineWithContent(
        ranked,
        contentContextOf({ query, contents, facts: id => facts.get(id), ...answers }),
      )
      const may = mayAnswer(ranked, answers, query.startsWith('when') ? weights.timeWords : 1)
      if (refined.confidence.answers) counts.answered++
      if (!may) counts.unable++
      return may || !refined.confidence.answers
    }),
    { numRuns: 500 },
  )
  t.true(counts.answered > 0 && counts.unable > 0, JSON.stringify(counts))
})

test('steps for rows without facts equal the full steps', t => {
  const hits = hitsOf({ keyword: { a: 0.9, b: 0.6, c: 0.5, d: 0.2 }, expansion: { b: 0.2, c: 0.9, d: 0.5 } })
  const context = { query: 'what did Ada say yesterday', hits, facts: () => undefined, now }
  t.deepEqual(rankCandidates(context, stepsWithoutFacts).ranked, rankCandidates(context).ranked)
})
