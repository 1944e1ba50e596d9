import test from 'ava'
import { settings } from '../../../../../src/contract/settings.js'
import { createLoginLimit } from '../../../../../src/daemon/platform/auth/auth.js'
import { createRateLimiter } from '../../../../../src/daemon/platform/auth/rate-limiter.js'

const { rateLimits } = settings.parse({}).auth
const refused = { code: 'rate_limited' } as never

function limitAt(now: { ms: number }) {
  const limiter = createRateLimiter(
    () => rateLimits,
    () => new Date(now.ms),
  )
  const { begin } = createLoginLimit(limiter, () => true)
  return {
    fail: (peer: string) => void begin(peer),
    succeed: (peer: string) => begin(peer)(),
  }
}

test('five failures on one account in a minute are the last, however many addresses they come from', t => {
  const now = { ms: 0 }
  const { fail } = limitAt(now)
  for (let n = 0; n < 5; n++) fail(`192.0.2.${n}`)
  for (let n = 5; n < 20; n++) t.throws(() => fail(`192.0.2.${n}`), refused)
  now.ms = 60_000
  t.notThrows(() => fail('192.0.2.99'))
})

test('a login that succeeds does not count', t => {
  const { fail, succeed } = limitAt({ ms: 0 })
  for (let n = 0; n < 20; n++) succeed(`198.51.100.${n}`)
  for (let n = 0; n < 5; n++) fail(`192.0.2.${n}`)
  t.throws(() => fail('192.0.2.9'), refused)
})

test('nobody is kept out of a network that he logged in from before, nor of this machine', t => {
  const now = { ms: 0 }
  const { fail, succeed } = limitAt(now)
  succeed('198.51.100.7')
  // For a day somebody guesses whenever there is room.
  for (; now.ms < 86_400_000; now.ms += 10_000)
    for (let n = 0; n < 3; n++)
      try {
        fail(`192.0.2.${n}`)
      } catch {
        // The window is full.
      }
  t.throws(() => {
    for (let n = 0; n < 6; n++) fail('203.0.113.5')
  }, refused)
  t.notThrows(() => succeed('198.51.100.7'))
  t.notThrows(() => succeed('127.0.0.1'))
})

test('whoever guesses from a network that was logged in from uses up nobody’s window', t => {
  const { fail, succeed } = limitAt({ ms: 0 })
  succeed('198.51.100.7')
  for (let n = 0; n < 100; n++) fail('198.51.100.7')
  t.notThrows(() => fail('192.0.2.1'))
})
