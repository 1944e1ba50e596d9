import test from 'ava'
import { settings } from '../../../../../src/contract/settings.js'
import { createLoginLimit, createRateLimiter } from '../../../../../src/daemon/platform/auth/auth.js'

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

test('after five failures per account in a minute logins are refused from any address', t => {
  const now = { ms: 0 }
  const { fail } = limitAt(now)
  for (let n = 0; n < 5; n++) fail(`192.0.2.${n}`)
  for (let n = 5; n < 20; n++) t.throws(() => fail(`192.0.2.${n}`), refused)
  now.ms = 60_000
  t.notThrows(() => fail('192.0.2.99'))
})

test('a successful login does not count', t => {
  const { fail, succeed } = limitAt({ ms: 0 })
  for (let n = 0; n < 20; n++) succeed(`198.51.100.${n}`)
  for (let n = 0; n < 5; n++) fail(`192.0.2.${n}`)
  t.throws(() => fail('192.0.2.9'), refused)
})

test('failures elsewhere do not lock out a network with a past login, nor this machine', t => {
  const now = { ms: 0 }
  const { fail, succeed } = limitAt(now)
  succeed('198.51.100.7')
  // For a day somebody guesses passwords as often as the window allows.
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

test('failures from a known network do not use up the window of others', t => {
  const { fail, succeed } = limitAt({ ms: 0 })
  succeed('198.51.100.7')
  for (let n = 0; n < 100; n++) fail('198.51.100.7')
  t.notThrows(() => fail('192.0.2.1'))
})
