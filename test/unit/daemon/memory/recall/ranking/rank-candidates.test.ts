import test from 'ava'
import { totalEvidence } from '../../../../../../src/daemon/memory/recall/ranking/evidence.js'
import { fuse } from '../../../../../../src/daemon/memory/recall/ranking/fuse.js'
import {
  rankCandidates,
  refineWithContent,
} from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import type { RankContext, Step } from '../../../../../../src/daemon/memory/recall/ranking/step.js'
import { contentContextOf, contextOf, conversation, factsOf, hitsOf, rankingOf } from './sample-context.js'

const find: Step<RankContext> = {
  name: 'find',
  effect: 'find',
  optional: false,
  run: ({ hits, rows }) => fuse(hits, rows),
}

test('every step is timed, and none fails on ordinary hits (recall.md 1.3.14)', t => {
  const hits = hitsOf({ keyword: { a: 0.6, b: 0.3 }, sessions: { s: 0.7 } })
  const { timings, failures } = rankCandidates(contextOf({ hits }))
  t.deepEqual(Object.keys(timings), ['fuse', 'widen', 'expansion', 'session', 'neighbours', 'author', 'date'])
  t.true(Object.values(timings).every(ms => ms >= 0))
  t.deepEqual(failures, [])
})

test('a failing step is reported, and the others still count (recall.md 1.3.9)', t => {
  const hits = hitsOf({ keyword: { a: 0.3, b: 0.4 } })
  const {
    ranked: all,
    failures,
    timings,
  } = rankCandidates(contextOf({ hits }), [
    find,
    {
      name: 'broken',
      effect: 'add',
      optional: true,
      run: () => {
        throw new Error('no model')
      },
    },
    { name: 'wild', effect: 'multiply', optional: true, run: () => new Map([['a', Number.NaN]]) },
    { name: 'fine', effect: 'add', optional: true, run: () => new Map([['a', 0.5]]) },
  ])
  t.deepEqual(
    all.slice().map(({ id }) => id),
    ['a', 'b'],
  )
  t.deepEqual(
    failures.map(({ step }) => step),
    ['broken', 'wild'],
  )
  t.true('broken' in timings)
})

test('unreadable facts disable only the steps that need them (recall.md 1.3.9)', t => {
  const hits = hitsOf({ keyword: { a: 0.5 } })
  const broken = Object.defineProperty({ ...hits }, 'facts', {
    get: () => {
      throw new Error('index is gone')
    },
  })
  const { ranked, failures } = rankCandidates({ ...contextOf(), hits: broken })
  t.is(ranked.slice()[0]?.id, 'a')
  t.true(failures.some(({ step }) => step === 'widen'))
})

test('contributions add up to the evidence', t => {
  const hits = hitsOf({ keyword: { a: 0.6, b: 0.3 }, vector: { b: 0.5 }, sessions: { s: 0.9 } })
  const facts = factsOf({
    ...conversation(['a', 'b', 'c']),
    c: { ...conversation(['a', 'b', 'c']).c, who: 'Ana' },
  })
  const ranked = rankCandidates(contextOf({ query: 'Ana keys in 2026', hits, facts })).ranked.slice()
  t.deepEqual(ranked.map(({ id }) => id).sort(), ['a', 'b', 'c'])
  for (const row of ranked) {
    t.is(row.evidence, totalEvidence(row.contributions))
  }
})

test('equal rows keep a stable order', t => {
  const order = (...ids: string[]) =>
    rankCandidates(contextOf({ hits: hitsOf({ keyword: Object.fromEntries(ids.map(id => [id, 0.5])) }) }))
      .ranked.slice()
      .map(({ id }) => id)
  t.deepEqual(order('x', 'z', 'y'), order('z', 'y', 'x'))
})

test('no hits yield an empty ranking', t => {
  t.deepEqual(rankCandidates(contextOf()).ranked.slice(), [])
})

test('content refines the order of loaded rows and drops the others (recall.md 1.3.6)', t => {
  const hits = hitsOf({ keyword: { plain: 0.5, timed: 0.49, secret: 0.9 } })
  const query = 'When do keys rotate?'
  const ranked = rankCandidates(contextOf({ query, hits })).ranked.slice()
  const contents = new Map([
    ['plain', 'Keys are in the vault'],
    ['timed', 'Keys rotate every week'],
  ])
  const refined = refineWithContent(ranked, contentContextOf({ query, contents }))
  t.deepEqual(
    refined.ranked.map(({ id }) => id),
    ['timed', 'plain'],
  )
  t.deepEqual(Object.keys(refined.timings), [
    'replies',
    'questions',
    'time_words',
    'standing',
    'currentness',
    'confidence',
  ])
})

test('refining does not modify the input ranking', t => {
  const ranked = rankCandidates(contextOf({ hits: hitsOf({ keyword: { a: 0.5 } }) })).ranked.slice()
  const before = structuredClone(ranked)
  const refined = refineWithContent(
    ranked,
    contentContextOf({ query: 'When?', contents: new Map([['a', 'yesterday']]) }),
  )
  t.deepEqual(ranked, before)
  t.true(refined.ranked[0]!.evidence > ranked[0]!.evidence)
  t.is(refined.ranked[0]!.own, ranked[0]!.own)
})

test('unreadable facts remove the row length from the confidence, not the answer (recall.md 1.3.9)', t => {
  const facts = () => {
    throw new Error('index is gone')
  }
  const { ranked, confidence, failures } = rankingOf({ keyword: { a: 0.9 } }, { facts })
  t.is(ranked[0]?.score, confidence.value)
  t.true(confidence.value > 0)
  t.true(failures.some(({ step }) => step === 'confidence'))
})
