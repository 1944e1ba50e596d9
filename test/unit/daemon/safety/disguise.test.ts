import test from 'ava'
import { decoded, rewritten, spelledOut, unescaped } from '../../../../src/daemon/safety/disguise.js'

const secret = 'the quick brown fox jumps over the lazy dog'

test('base64 and hexadecimal text is decoded, even across lines', t => {
  const packed = Buffer.from(secret).toString('base64')
  t.deepEqual(decoded(`see ${packed}`), [`\n${secret}`])
  t.deepEqual(decoded(`${packed.slice(0, 32)}\n${packed.slice(32)}`), [secret])
  t.deepEqual(decoded(Buffer.from(secret).toString('hex')), [secret])
})

test('hashes, identifiers and images decode to nothing', t => {
  t.deepEqual(decoded('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'), [])
  t.deepEqual(decoded('src/daemon/memory/safety/veryLongIdentifierOfSomeKind'), [])
  t.deepEqual(decoded('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'), [])
})

test('at least four escapes are decoded', t => {
  t.deepEqual(unescaped('%69%67\\x6e&#111;re'), ['ignore'])
  t.deepEqual(unescaped('a%20b%20c'), [])
})

test('symbols inside words, digits, rot13 and reversed text are rewritten', t => {
  t.deepEqual(rewritten("ig-nore cu''rl"), ['ignore curl'])
  t.deepEqual(rewritten('1gn0re'), ['ignore'])
  t.true(rewritten('vafgehpgvbaf').includes('instructions'))
  t.true(rewritten('snoitcurtsni').includes('instructions'))
  t.deepEqual(rewritten('plain words'), [])
})

test('single spaced letters are joined', t => {
  t.is(spelledOut('say i g n o r e  t h i s now'), 'ignorethis')
  t.is(spelledOut('a b c'), '')
})
