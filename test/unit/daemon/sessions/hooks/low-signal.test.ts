import test from 'ava'
import { isLowSignal } from '../../../../../src/daemon/sessions/hooks/low-signal.js'

for (const prompt of [
  '',
  'ok',
  'OK!',
  'thanks a'.slice(0, 6),
  'Yes please',
  'go on',
  '/clear',
  '/review-pr 17',
  '…',
  'y',
  'hi :)',
  'do it',
  '東',
])
  test(`"${prompt}" says nothing to look for (rules.md 4.10)`, t => {
    t.true(isLowSignal(prompt))
  })

for (const prompt of [
  'Ada',
  'ok, fix the build',
  '/home/me/shop/main.ts fails',
  'continue with Acme',
  '東京',
  `${'ok '.repeat(50)}`,
])
  test(`"${prompt.slice(0, 30)}" is looked up (rules.md 4.10)`, t => {
    t.false(isLowSignal(prompt))
  })
