import test from 'ava'
import { weights } from '../../../../../../../src/daemon/memory/recall/ranking/weights.js'
import {
  claimEvidence,
  followLinksOnce,
  matchNames,
  namesIn,
  traversalEvidence,
} from '../../../../../../../src/daemon/memory/recall/search/find-paths.js'
import type { ClaimPath, NamedThing } from '../../../../../../../src/store/tables/knowledge/recall-paths.js'

const { points } = weights.claims
const entity = (key: string, entity_id = key): NamedThing => ({
  part: 'entity',
  key,
  entity_id,
  claim_id: null,
})
const slot = (key: string, claim_id: string): NamedThing => ({
  part: 'claim',
  key,
  entity_id: null,
  claim_id,
})
const path = (memory_id: string, given: Partial<ClaimPath> = {}): ClaimPath => ({
  memory_id,
  version_id: memory_id,
  entity_id: 'e',
  confidence: 1,
  aspect_key: 'general',
  group_key: 'general',
  claim_key: 'database',
  ...given,
})

function pointsOf(
  query: string,
  things: NamedThing[],
  paths: ClaimPath[],
  factors = new Map<string, number>(),
) {
  return Object.fromEntries(claimEvidence(paths, matchNames(things, namesIn(query)), factors))
}

test('a slot named with its entity gets all points, weighted by confidence', t => {
  const things = [entity('orion', 'e'), slot('database', 'c')]
  t.deepEqual(pointsOf('orion database', things, [path('m')]), { m: points })
  t.deepEqual(pointsOf('orion database', things, [path('m', { confidence: 0.5 })]), { m: points / 2 })
})

test('an entity alone gets fewer points, and fewer the more facts it has', t => {
  const other = { claim_key: 'colour' }
  const one = pointsOf('orion', [entity('orion', 'e')], [path('m', other)]).m ?? 0
  const many = pointsOf(
    'orion',
    [entity('orion', 'e')],
    ['m', 'n', 'o', 'p'].map(id => path(id, other)),
  )
  t.is(one, points * weights.claims.entityAlone)
  t.is(many.m, one / 2)
})

test('a slot shared by many entities gets few points if no entity is named', t => {
  const things = ['a', 'b', 'c', 'd'].map(id => slot('database', id))
  const paths = ['a', 'b', 'c', 'd'].map(id => path(id, { entity_id: id }))
  t.deepEqual(pointsOf('database', things, paths), {
    a: points / 2,
    b: points / 2,
    c: points / 2,
    d: points / 2,
  })
})

test('the best path to a memory counts, and ratings never exceed all points', t => {
  const things = [entity('orion', 'e'), slot('database', 'c')]
  const paths = [path('m', { confidence: 0.2 }), path('m')]
  t.deepEqual(pointsOf('orion database', things, paths, new Map([['e', 1.5]])), { m: points })
})

test('a name inside a longer matched name is not matched itself', t => {
  const { entities } = matchNames([entity('blue'), entity('blue whale')], namesIn('the blue whale'))
  t.deepEqual([...entities.keys()], ['blue whale'])
})

test('a name of very many slots matches none of them alone', t => {
  const many = Array.from({ length: weights.claims.mostSlots }, (_, n) => slot('database', `c${n}`))
  t.deepEqual(matchNames(many, namesIn('database')).fewSlots, [])
  t.is(matchNames(many.slice(1), namesIn('database')).fewSlots.length, many.length - 1)
})

test('a part with too many slots has no count but still counts as named', t => {
  const many: NamedThing = { part: 'claim', key: 'database', entity_id: null, claim_id: null }
  const matches = matchNames([many, { ...slot('database', 'c'), part: 'aspect' }], namesIn('database'))
  t.deepEqual(matches.fewSlots, [])
  t.deepEqual([...matches.slotKeys], [['database', weights.claims.mostSlots]])
})

test('links are damped by distance and degree, and very connected entities are not followed', t => {
  const link = (near: string, far: string) => ({ near, far, confidence: 1 })
  const from = new Map([['a', 1]])
  t.deepEqual([...followLinksOnce(from, [link('a', 'b')], from)], [['b', weights.traversal.perLink]])
  const four = ['b', 'c', 'd', 'e'].map(far => link('a', far))
  t.is(followLinksOnce(from, four, from).get('b'), weights.traversal.perLink / 2)
  t.is(followLinksOnce(from, [link('a', 'a')], from).size, 0)
  const hub = Array.from({ length: weights.traversal.mostLinks + 1 }, (_, n) => link('a', `x${n}`))
  t.is(followLinksOnce(from, hub, from).size, 0)
})

test('a memory that mentions two entities gets points from both, more from rare ones', t => {
  const nearness = new Map([
    ['a', 0.5],
    ['b', 0.5],
  ])
  const mention = (entity_id: string, memory_id: string, mentions: number) => ({
    entity_id,
    memory_id,
    mentions,
  })
  const given = traversalEvidence(nearness, [
    mention('a', 'm', 1),
    mention('b', 'm', 1),
    mention('b', 'n', 4),
  ])
  t.is(given.get('m'), weights.traversal.points)
  t.is(given.get('n'), weights.traversal.points / 4)
})
