import { createHash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import {
  contentHash,
  hashSteps,
  inferType,
  storageContent,
  storageSteps,
  typeSteps,
} from '../../../../../src/daemon/memory/records/normalise-content.js'

const step = 64 * 1024

/** Each rule as a single expression on the whole text. */
const stored = (text: string): string => text.trim().replace(/\s+/gu, ' ')
const hashed = (content: string): string => {
  const lower = content.toLowerCase()
  return createHash('sha256')
    .update(lower.replace(/[.,!?;:]+$/u, '') || lower)
    .digest('hex')
}

/** Returns texts with the given part at different positions around the end of a slice. */
const aroundEdge = (part: string): string[] =>
  [0, 1, 2, 3, 5, 8, 13, 40].map(before => `${'x'.repeat(step - before)}${part}${'y'.repeat(step)}`)

test('a text normalised in slices equals one normalised at once', t => {
  const parts = [
    '  ',
    ' \t ',
    '\n',
    '\u00a0',
    '\ufeff \u2003',
    'a b',
    '\u{1f600} \u{1f600}',
    '   '.repeat(step),
  ]
  for (const text of parts.flatMap(aroundEdge)) t.is(storageContent(text), stored(text))
  const words = fc.array(fc.constantFrom(' ', '\n', '\t', 'a', 'bc', '\u3000', '\u{1f600}'), {
    maxLength: 80,
  })
  fc.assert(
    fc.property(words, fc.nat(40), (list, before) => {
      const text = `${'x'.repeat(step - before)}${list.join('')}`
      return storageContent(text) === stored(text)
    }),
    { numRuns: 200 },
  )
})

test('a text hashed in slices has the hash of the whole text', t => {
  const parts = ['A', 'É', '\u{10400}', 'İ', 'ΟΔΟΣ ΟΔΟΣ', 'ΑΣ.Β', 'Σ', 'a.b', '..']
  for (const part of parts)
    for (const text of [...aroundEdge(part), part.repeat(step), `${'x'.repeat(step)}${part}...!?`])
      t.is(contentHash(text), hashed(text), JSON.stringify(part))
  t.is(contentHash('?!'.repeat(step)), hashed('?!'.repeat(step)))
  t.is(contentHash(''), hashed(''))
})

test('a type is inferred from words in any case, and from letters that fold to ASCII', t => {
  t.is(inferType('We MUST ship'), 'rule')
  t.is(inferType('we mu\u017ft ship'), 'rule')
  t.is(inferType('she li\u212aes tea'), 'preference')
  t.is(inferType('we mustard, caf\u00e9 and all'), 'fact')
})

test('a keyword determines the type anywhere in a text, but only as a whole word', t => {
  for (const text of aroundEdge(' will use ')) t.is(inferType(text), 'decision')
  for (const text of aroundEdge(' MUST ')) t.is(inferType(text), 'rule')
  for (const text of aroundEdge('must')) t.is(inferType(text), 'fact')
  for (const before of [0, 1, 4, 31, 32, 33]) {
    t.is(inferType(`${' '.repeat(step - before)}mustard`), 'fact')
    t.is(inferType(`${'x'.repeat(step - before)}must`), 'fact')
  }
  t.is(inferType(`${'a bug '.repeat(step)}she prefers tea`), 'preference')
  t.is(inferType(`${'it never '.repeat(step)}a bug`), 'rule')
})

test('each step processes at most one slice', t => {
  const text = 'A  word, '.repeat(step)
  for (const steps of [storageSteps(text), hashSteps(text), typeSteps(text)]) {
    let count = 0
    while (!steps.next().done) count++
    t.true(count >= 9, String(count))
  }
})
