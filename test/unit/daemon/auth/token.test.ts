import { randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { readToken } from '../../../../src/daemon/auth/token.js'
import { openToken, signToken } from '../../../../src/lib/signed-token.js'

const secret = randomBytes(32)
const claims = { sub: 'maya', role: 'agent', scope: { project: 'web' }, iat: 0, exp: 1000 }

test('a token is what the specification says, byte for byte (spec 1, 5.2)', t => {
  const token = signToken(Buffer.alloc(32, 7), { sub: 'x', role: 'admin', iat: 0, exp: 1 })
  t.is(
    token,
    'eyJzdWIiOiJ4Iiwicm9sZSI6ImFkbWluIiwiaWF0IjowLCJleHAiOjF9.UUXiiKoZEjn5WuxumrxoqkGXVMp-F1wR7dtIlGEm1xo',
  )
})

test('a token is read until the second it expires', t => {
  const token = signToken(secret, claims)
  t.like(readToken(secret, token, new Date(999_999)), { sub: 'maya', scope: { project: 'web' } })
  t.is(readToken(secret, token, new Date(1_000_000)), undefined)
  t.is(readToken(randomBytes(32), token, new Date(0)), undefined)
})

test('no change of a token, and no text at all, is taken for a signed one', t => {
  const token = signToken(secret, claims)
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.nat(token.length - 2), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        return changed === token || openToken(secret, changed) === undefined
      }),
    ),
  )
  t.notThrows(() => fc.assert(fc.property(fc.string(), text => openToken(secret, text) === undefined)))
})
