import test from 'ava'
import { withoutValidity } from '../../../../../../src/daemon/knowledge/dreaming/deterministic/validity.js'

// A Monday.
const at = '2026-01-05T10:00:00.000Z'
const days = (statement: string, said = at) => {
  const { rest, validity } = withoutValidity(statement, said)
  return [rest, validity.validFrom?.slice(0, 10), validity.validUntil?.slice(0, 10)]
}

test('validity dates are extracted from a statement (knowledge.md#what-is-read)', t => {
  t.deepEqual(days('the region is X until June 2026'), ['the region is X', undefined, '2026-06-01'])
  t.deepEqual(days('From 2026-03-01 on the host is X'), ['the host is X', '2026-03-01', undefined])
  t.deepEqual(days('Since January 2026 the image is X'), ['the image is X', '2026-01-01', undefined])
  t.deepEqual(days('the level is debug until Friday'), ['the level is debug', undefined, '2026-01-10'])
  t.deepEqual(days('X since 1 March 2026 until March 3rd, 2026'), ['X', '2026-03-01', '2026-03-04'])
})

test('words that are not dates stay in the statement (knowledge.md#what-is-read)', t => {
  t.deepEqual(days('wait until it is done'), ['wait until it is done', undefined, undefined])
  t.deepEqual(days('since 2026-99-99 X'), ['since 2026-99-99 X', undefined, undefined])
  t.deepEqual(
    days('X until Friday', ''),
    ['X until Friday', undefined, undefined],
    'nobody knows when it was said',
  )
})
