import { createHmac, randomBytes } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { readToken } from '../../../../../src/daemon/platform/auth/token.js'
import { openToken, signToken } from '../../../../../src/lib/workspace/signed-token.js'

const secret = randomBytes(32)
const claims = { sub: 'maya', role: 'agent', scope: { project: 'web' }, iat: 0, exp: 1000 }

test('a token is payload and HMAC-SHA256, byte for byte (security.md 5.2)', t => {
  const token = signToken(Buffer.alloc(32, 7), { sub: 'x', role: 'admin', iat: 0, exp: 1 })
  t.is(
    token,
    'eyJzdWIiOiJ4Iiwicm9sZSI6ImFkbWluIiwiaWF0IjowLCJleHAiOjF9.UUXiiKoZEjn5WuxumrxoqkGXVMp-F1wR7dtIlGEm1xo',
  )
})

test('a token is valid until the second it expires', t => {
  const token = signToken(secret, claims)
  t.like(readToken(secret, token, new Date(999_999)), { sub: 'maya', scope: { project: 'web' } })
  t.is(readToken(secret, token, new Date(1_000_000)), undefined)
  t.is(readToken(randomBytes(32), token, new Date(0)), undefined)
})

test('no modified token and no other text is accepted', t => {
  const token = signToken(secret, claims)
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        return changed === token || openToken(secret, changed) === undefined
      }),
    ),
  )
  t.notThrows(() => fc.assert(fc.property(fc.string(), text => openToken(secret, text) === undefined)))
})

test('a token is accepted only in the exact form that was signed', t => {
  const token = signToken(secret, claims)
  const [payload = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  // 32 bytes leave two unused bits in the last base64 character.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const next = alphabet[alphabet.indexOf(signature.at(-1) ?? '') ^ 1] ?? ''
  const others = [
    `${payload}.${signature.slice(0, -1)}${next}`,
    `${payload}.${signature}=`,
    `${payload}.${signature}==`,
    `${payload}.${signature}!`,
    `${payload}.${signature}\n`,
    `${payload}.${bytes.toString('hex')}`,
    `${payload}.${signature}.`,
    `${token}.${signature}`,
  ]
  for (const other of others) t.is(openToken(secret, other), undefined, other)
  t.truthy(openToken(secret, token))
})

test('a signed payload in another encoding is rejected', t => {
  const spelled = `${Buffer.from(JSON.stringify(claims)).toString('base64')}=`
  const signature = createHmac('sha256', secret).update(spelled).digest('base64url')
  t.is(openToken(secret, `${spelled}.${signature}`), undefined)
})
