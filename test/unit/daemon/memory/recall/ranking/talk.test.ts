import test from 'ava'
import { isPage, talkShare } from '../../../../../../src/daemon/memory/recall/ranking/talk.js'
import { conversation, factsOf } from './sample-context.js'

const turnOf = (sessionTerms: number) => factsOf(conversation(['a'], sessionTerms))('a')

test('a session of short turns is a talk, one of pages is none, and one between is so in part', t => {
  t.deepEqual(
    [1, 50, 120, 900].map(terms => talkShare(turnOf(terms))),
    [1, 1, 0, 0],
  )
  t.is(talkShare(turnOf(85)), 0.5)
})

test('only rows of a session of pages are pages', t => {
  t.deepEqual(
    [50, 119, 120, 900].map(terms => isPage(turnOf(terms))),
    [false, false, true, true],
  )
})

test('a memory that stands alone is neither talk nor page, however long', t => {
  const alone = factsOf({ a: { terms: 500, sessionTerms: 500 } })('a')
  t.is(talkShare(alone), 0)
  t.false(isPage(alone))
  t.is(talkShare(undefined), 0)
  t.false(isPage(undefined))
})
