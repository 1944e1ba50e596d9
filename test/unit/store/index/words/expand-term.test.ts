import test from 'ava'
import { memories } from '../../../../../src/store/index/collections.js'
import { createIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { Dictionary } from '../../../../../src/store/index/words/dictionary.js'
import { expandTerm } from '../../../../../src/store/index/words/expand-term.js'
import { sampleEntry } from '../sample-entry.js'

function dictionaryOf(...words: string[]): Dictionary {
  const terms = new Dictionary()
  for (const word of words) terms.retain(word)
  return terms
}

const near = (terms: Dictionary, word: string) => expandTerm(terms, word).map(([text]) => text)

test('an unknown word matches longer words and typing errors', t => {
  const terms = dictionaryOf('kubernetes', 'kubectl', 'database', 'databases', 'cat')
  t.deepEqual(near(terms, 'kube'), ['kubectl', 'kubernetes'])
  t.deepEqual(near(terms, 'kubernetse'), ['kubernetes'])
  t.deepEqual(near(terms, 'kubrentes'), ['kubernetes'])
  t.deepEqual(near(terms, 'datbase'), ['database'])
  t.deepEqual(near(terms, 'cta'), [])
  t.deepEqual(near(terms, 'zzzz'), [])
})

test('expansion is limited and never weighs as much as the word itself', t => {
  const terms = dictionaryOf(...Array.from({ length: 100 }, (_, i) => `prefix${i}`))
  const found = expandTerm(terms, 'prefi')
  t.is(found.length, 16)
  t.true(found.every(([, weight]) => weight > 0 && weight < 1))
})

test('removed words are not expanded', t => {
  const terms = dictionaryOf('kubernetes')
  terms.release(terms.get('kubernetes'))
  t.deepEqual(near(terms, 'kubernete'), [])
  t.is(terms.size, 0)
})

test('similar words are found at any length and after any changes', t => {
  const long = 'pneumonoultramicroscopicsilicovolcanoconiosis'
  const first = ['kubernetes', 'kubectl', 'database', long]
  const terms = dictionaryOf(...first)
  t.deepEqual(near(terms, long.replace('icro', 'irco')), [long])
  t.deepEqual(near(terms, long.slice(0, 40)), [long])
  for (const word of first) terms.release(terms.get(word))
  const second = ['databases', 'data', 'kubernaut', `${long}es`]
  for (const word of second) terms.retain(word)
  terms.retain('kubernetes')
  const anew = dictionaryOf(...second, 'kubernetes')
  for (const word of [
    'datab',
    'databsaes',
    'kubernetse',
    'kubernets',
    'kubec',
    `x${long}`,
    long.slice(0, 30),
  ])
    t.deepEqual(expandTerm(terms, word), expandTerm(anew, word), word)
  t.deepEqual(near(terms, 'kubernats'), ['kubernaut', 'kubernetes'])
})

test('only words unknown to the index are expanded', async t => {
  const index = createIndex(memories, { dimensions: null })
  index.upsert(sampleEntry('1', 'kubernetes'))
  index.upsert(sampleEntry('2', 'kubernautes'))
  const found = async (text: string) => (await index.search({ text, depth: 5 })).keyword.map(hit => hit.id)
  t.deepEqual(await found('kubernautes'), ['2'])
  t.deepEqual(await found('kubenets'), ['1'])
})

test('the beginning of a hash finds the hash, and a hash its beginning', async t => {
  const hash = '3f2a9c1d4e5b6a7988776655443322110099aabb'
  for (const [stored, asked] of [
    [hash, hash.slice(0, 7)],
    [hash.slice(0, 9), hash],
  ] as const) {
    const index = createIndex(memories, { dimensions: null })
    index.upsert(sampleEntry('a', `fixed in ${stored}`))
    for (let i = 0; i < 20; i++) index.upsert(sampleEntry(`b${i}`, `other text number ${i}`))
    const { keyword, ceilings } = await index.search({ text: asked, depth: 5, evidence: true })
    t.is(keyword[0]?.id, 'a', asked)
    t.is(ceilings.unknown, 0, asked)
  }
})
