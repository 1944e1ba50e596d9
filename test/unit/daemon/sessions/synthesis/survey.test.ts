import test from 'ava'
import { effectiveScore } from '../../../../../src/daemon/sessions/synthesis/survey.js'

test('importance decreases by 5 % per day since creation (rules.md 1.4)', t => {
  t.is(effectiveScore({ importance: 0.8, pinned: false, ageDays: 0 }), 0.8)
  t.is(effectiveScore({ importance: 0.8, pinned: false, ageDays: 1 }), 0.8 * 0.95)
  t.is(effectiveScore({ importance: 1, pinned: false, ageDays: 10.5 }), 0.95 ** 10.5)
})

test('a pinned memory always scores 1 (rules.md 1.4)', t => {
  t.is(effectiveScore({ importance: 0.1, pinned: true, ageDays: 4000 }), 1)
})

test('a creation date in the future adds nothing', t => {
  t.is(effectiveScore({ importance: 0.5, pinned: false, ageDays: -3 }), 0.5)
})
