import test from 'ava'
import { tag } from '../../../../../../src/daemon/ground/reading/syntax/tag.js'
import { withoutTimes } from '../../../../../../src/daemon/ground/reading/syntax/times.js'
import { textOf, tokensOf } from '../../../../../../src/daemon/ground/reading/syntax/tokens.js'

// A Monday.
const at = '2026-01-05T10:00:00.000Z'
const days = (statement: string, said = at) => {
  const tokens = tokensOf(statement)
  tag(tokens)
  const { rest, times } = withoutTimes(tokens, statement, said)
  const day = (time: string | undefined) => time?.slice(0, 10)
  return [textOf(rest, statement), day(times.since), day(times.until), day(times.at) ?? times.schedule]
}

test('validity dates are extracted from a statement (knowledge.md#what-is-read)', t => {
  t.deepEqual(days('the region is X until June 2026'), [
    'the region is X',
    undefined,
    '2026-06-01',
    undefined,
  ])
  t.deepEqual(days('From 2026-03-01 on the host is X'), ['the host is X', '2026-03-01', undefined, undefined])
  t.deepEqual(days('Since January 2026 the image is X'), [
    'the image is X',
    '2026-01-01',
    undefined,
    undefined,
  ])
  t.deepEqual(days('the level is debug until Friday'), [
    'the level is debug',
    undefined,
    '2026-01-10',
    undefined,
  ])
  t.deepEqual(days('X since 1 March 2026 until March 3rd, 2026'), [
    'X',
    '2026-03-01',
    '2026-03-04',
    undefined,
  ])
  t.deepEqual(days('Ann left in May'), ['Ann left', undefined, undefined, '2026-05-01'])
  t.deepEqual(days('they run every night at 02:30'), [
    'they run',
    undefined,
    undefined,
    'every night at 02:30',
  ])
})

test('words that are not dates stay in the statement (knowledge.md#what-is-read)', t => {
  const nothing = [undefined, undefined, undefined]
  t.deepEqual(days('wait until it is done'), ['wait until it is done', ...nothing])
  t.deepEqual(days('since 2026-99-99 X'), ['since 2026-99-99 X', ...nothing])
  t.deepEqual(days('the nightly export fails'), ['the nightly export fails', ...nothing])
  t.deepEqual(days('X until Friday', ''), ['X until Friday', ...nothing], 'nobody knows when it was said')
})
