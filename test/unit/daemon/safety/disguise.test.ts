import test from 'ava'
import {
  decodePayloads,
  joinSpelledLetters,
  textVariants,
  unescaped,
} from '../../../../src/daemon/safety/disguise.js'

const secret = 'the quick brown fox jumps over the lazy dog'

test('base64 and hexadecimal text is decoded, even across lines', t => {
  const packed = Buffer.from(secret).toString('base64')
  t.deepEqual(decodePayloads(`see ${packed}`), [`\n${secret}`])
  t.deepEqual(decodePayloads(`${packed.slice(0, 32)}\n${packed.slice(32)}`), [secret])
  t.deepEqual(decodePayloads(Buffer.from(secret).toString('hex')), [secret])
})

test('hashes, identifiers and images decode to nothing', t => {
  t.deepEqual(decodePayloads('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'), [])
  t.deepEqual(decodePayloads('src/daemon/memory/safety/veryLongIdentifierOfSomeKind'), [])
  t.deepEqual(decodePayloads('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'), [])
})

test('at least four escapes are decoded', t => {
  t.deepEqual(unescaped('%69%67\\x6e&#111;re'), ['ignore'])
  t.deepEqual(unescaped('a%20b%20c'), [])
})

test('symbols inside words, digits, rot13 and reversed text are rewritten', t => {
  t.deepEqual(textVariants("ig-nore cu''rl"), ['ignore curl'])
  t.deepEqual(textVariants('1gn0re'), ['ignore'])
  t.true(textVariants('vafgehpgvbaf').includes('instructions'))
  t.true(textVariants('snoitcurtsni').includes('instructions'))
  t.deepEqual(textVariants('plain words'), [])
})

test('single spaced letters are joined', t => {
  t.is(joinSpelledLetters('say i g n o r e  t h i s now'), 'ignorethis')
  t.is(joinSpelledLetters('a b c'), '')
})
