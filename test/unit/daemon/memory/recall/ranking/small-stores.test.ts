import test from 'ava'
import fc from 'fast-check'
import { RankedIndex } from '../../../../../../bench/quality/recall-system.js'

/** Distinct words with different stems that are not stop words. */
const vocabulary = Array.from({ length: 60 }, (_, i) => `w${String(i).padStart(2, '0')}x`)
const types = ['fact', 'rule', 'preference', 'decision'] as const

/** Stores of one to five rows with 3 to 30 words each, without shared words. */
const stores = fc.array(
  fc.record({ length: fc.integer({ min: 3, max: 12 }), type: fc.constantFrom(...types) }),
  {
    minLength: 1,
    maxLength: 5,
  },
)

function storeOf(rows: readonly { length: number; type: (typeof types)[number] }[]) {
  const index = new RankedIndex()
  const texts = rows.map(({ length, type }, row) => {
    const words = vocabulary.slice(row * 12, row * 12 + length)
    const rest = { hints: [], who: null, project: 'p', createdAt: 0, session: null }
    index.add({ id: `r${row}`, content: words.join(' '), type, ...rest })
    return words
  })
  const confidence = async (words: readonly string[]) => {
    const query = words.join(' ')
    return index.rank(query, await index.search({ query, project: null })).confidence.value
  }
  return { texts, confidence }
}

test('in a tiny store a question that shares one word has low confidence', async t => {
  await fc.assert(
    fc.asyncProperty(stores, fc.integer({ min: 1, max: 6 }), fc.boolean(), async (rows, others, isTask) => {
      const { texts, confidence } = storeOf(rows)
      const strange = Array.from({ length: others }, (_, i) => `stranger${'abcdef'[i]}`)
      const asked = [texts[0]![0]!, ...strange]
      // A task question gives more evidence to rules and preferences.
      return (await confidence(isTask ? ['write', ...asked] : asked)) <= 0.5
    }),
  )
  t.pass()
})

test('in a tiny store a question in the words of a row has high confidence', async t => {
  await fc.assert(
    fc.asyncProperty(stores, fc.integer({ min: 2, max: 12 }), async (rows, asked) => {
      const { texts, confidence } = storeOf(rows)
      return (await confidence(texts[0]!.slice(0, asked))) > 0.5
    }),
  )
  t.pass()
})

test('with one stored rule, a task that shares one word is unsure, one with its words is sure', async t => {
  const index = new RankedIndex()
  const content = 'Commit messages are written in the imperative mood'
  index.add({
    id: 'r',
    content,
    type: 'rule',
    hints: [],
    who: null,
    project: 'p',
    createdAt: 0,
    session: null,
  })
  const confidence = async (query: string) =>
    index.rank(query, await index.search({ query, project: null })).confidence.value
  t.true((await confidence('commit the changelog')) <= 0.5)
  t.true((await confidence('write the commit message')) > 0.5)
})
