import test from 'ava'
import { settings } from '../../../../../src/contract/settings.js'
import { createRateLimiter } from '../../../../../src/daemon/platform/auth/auth.js'

const { rateLimits } = settings.parse({}).auth

function limiter(now: { ms: number }) {
  return createRateLimiter(
    () => rateLimits,
    () => new Date(now.ms),
  )
}

test('expired windows are removed (security.md 5.5)', t => {
  const now = { ms: 0 }
  const { take, size } = limiter(now)
  for (let n = 0; n < 1000; n++) take('modify', `actor ${n}`)
  t.is(size(), 1000)
  now.ms = 60_001
  take('modify', 'another')
  t.is(size(), 1)
})

test('the number of windows is bounded, and quiet actors are dropped first', t => {
  const { take, size } = limiter({ ms: 0 })
  for (let n = 0; n < 3; n++) take('forceDelete', 'busy')
  for (let n = 0; n < 30_000; n++) {
    take('forceDelete', `actor ${n}`)
    if (n % 1000 === 0) t.throws(() => take('forceDelete', 'busy'), { code: 'rate_limited' } as never)
  }
  t.is(size(), 20_000)
  t.throws(() => take('forceDelete', 'busy'), { message: /more than 3 forceDelete requests/ })
})

test('a window stores at most as many times as its limit, and no refused requests', t => {
  const now = { ms: 0 }
  const { take } = limiter(now)
  for (let n = 0; n < 10; n++) take('admin', 'a')
  for (let n = 0; n < 100; n++) t.throws(() => take('admin', 'a'))
  now.ms = 60_000
  for (let n = 0; n < 10; n++) t.notThrows(() => take('admin', 'a'))
})
