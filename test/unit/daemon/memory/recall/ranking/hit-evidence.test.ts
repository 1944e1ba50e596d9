// runs: in turn
import test from 'ava'
import {
  authorEvidence,
  expansionEvidence,
  questionEvidence,
  questionShare,
  replyEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/hit-evidence.js'
import { rankCandidates } from '../../../../../../src/daemon/memory/recall/ranking/rank-candidates.js'
import { cpuMsOf } from '../../../../../helpers/cpu-time.js'
import { contextOf, conversation, factsOf, hitsOf, valuesOf } from './sample-context.js'

test('the question share counts words of questions, except notes in brackets', t => {
  t.is(questionShare('Did you change the limits?'), 1)
  t.is(questionShare('Ana: what is it? [shared image: a cat]'), 1)
  t.is(questionShare('I moved it. Is that fine?'), 0.5)
  t.is(questionShare('No question here.'), 0)
  t.is(questionShare('谁批准了?'), 1)
  t.is(questionShare('?!'), 0)
})

test('a bracketed note ends at the first closing bracket; an open bracket is not a note', t => {
  t.is(questionShare('Who [a [b] c] left? He did.'), 0.6)
  t.is(questionShare('Who left? [he did'), 0.5)
})

test('100,000 open brackets take less than a second', t => {
  t.true(cpuMsOf(() => questionShare(`? ${'['.repeat(100_000)}`)) < 1000)
})

test('the row after a matching question is lifted by its question share', t => {
  const facts = factsOf(conversation(['ask', 'answer', 'next']))
  const contents = (asked: string) =>
    new Map([
      ['ask', asked],
      ['answer', 'Yes, I halved them'],
      ['next', 'ok'],
    ])
  const reply = (asked: string) =>
    replyEvidence({ facts, contents: contents(asked) }, id => (id === 'ask' ? 0.8 : 0))
  t.deepEqual([...reply('Did somebody change the limits?').keys()], ['answer'])
  t.true(reply('Pods restart. Did you change them?').get('answer')! < reply('Did you?').get('answer')!)
  t.is(reply('The limits were changed.').size, 0)
})

test('a question that was not loaded has no effect (recall.md 1.3.6)', t => {
  const facts = factsOf(conversation(['ask', 'answer']))
  const contents = new Map([['answer', 'Yes']])
  t.is(replyEvidence({ facts, contents }, () => 0.8).size, 0)
})

test('a row that only asks is discounted, a row that also states something less', t => {
  const factors = questionEvidence({
    facts: factsOf(conversation(['asks', 'both', 'states'])),
    contents: new Map([
      ['asks', 'Who has the key?'],
      ['both', 'I lost mine. Who has the key?'],
      ['states', 'Ben has it.'],
    ]),
  })
  t.true(factors.get('asks')! < factors.get('both')!)
  t.true(factors.get('both')! < 1)
  t.false(factors.has('states'))
})

test('pages of a session have no replies and questions', t => {
  const facts = factsOf(conversation(['ask', 'answer'], 200))
  const contents = new Map([
    ['ask', 'Who has the key?'],
    ['answer', 'Ben has it.'],
  ])
  t.is(replyEvidence({ facts, contents }, () => 0.8).size, 0)
  t.is(questionEvidence({ facts, contents }).size, 0)
})

test('questions outside sessions are not discounted', t => {
  const contents = new Map([['alone', 'Who has the key?']])
  t.is(questionEvidence({ facts: factsOf({}), contents }).size, 0)
})

function boosted(query: string, ...authors: (string | null)[]): string[] {
  const facts = factsOf(Object.fromEntries(authors.map((who, i) => [String(i), { who }])))
  const own = new Map(authors.map((_, i) => [String(i), 0.5]))
  return [...valuesOf(authorEvidence, { query, facts, own }).keys()]
}

test('a query that names one author prefers rows by that author', t => {
  t.deepEqual(boosted("What is Ana's favourite editor?", 'Ana', 'Ben', 'Ana'), ['0', '2'])
})

test('author names match as whole words, ignoring case and accents', t => {
  t.deepEqual(boosted('what does josé think', 'Jose', 'Ben'), ['0'])
  t.deepEqual(boosted('banana bread', 'Ana', 'Ben'), [])
  t.deepEqual(boosted('claude settings', 'claude-code', 'codex'), [])
  t.deepEqual(boosted('what did claude code do', 'claude-code', 'codex'), ['0'])
})

test('a first name matches an author with several names', t => {
  t.deepEqual(boosted('where does Ana live', 'Ana Silva', 'Ben Okoro'), ['0'])
})

test('author names in scripts without spaces are found inside a sentence', t => {
  t.deepEqual(boosted('王芳喜欢什么编辑器', '王芳', '李伟'), ['0'])
})

test('two named authors or a single author change nothing', t => {
  t.deepEqual(boosted('What do Ana and Ben cook?', 'Ana', 'Ben', 'Eve'), [])
  t.deepEqual(boosted('What does Ana cook?', 'Ana', 'Ana'), [])
  t.deepEqual(boosted('What does Ana cook?', null, null), [])
})

const keyword = { a: 0.9, b: 0.8, c: 0.7, d: 0.3, e: 0.2 }
const own = new Map(Object.entries(keyword))
const expand = (expansion: Record<string, number>, more: Parameters<typeof contextOf>[0] = {}) =>
  valuesOf(expansionEvidence, { hits: hitsOf({ keyword, expansion }), own, ...more })

test('a row that shares words with the best rows gains evidence', t => {
  const hits = hitsOf({ keyword, expansion: { e: 0.4 } })
  t.deepEqual(
    rankCandidates(contextOf({ hits }))
      .ranked.slice()
      .map(({ id }) => id),
    ['a', 'b', 'c', 'e', 'd'],
  )
})

test('the best three rows gain no expansion', t => {
  t.deepEqual([...expand({ a: 1, b: 1, c: 1, d: 0.1 }).keys()], ['d'])
})

test('expansion never reaches the third best row, and the order is kept', t => {
  const additions = expand({ d: 5, e: 4 })
  const [d, e] = [0.3 + additions.get('d')!, 0.2 + additions.get('e')!]
  t.true(d > e)
  t.true(d < keyword.c)
})

test('fewer than three rows with evidence are not expanded', t => {
  const two = new Map([
    ['a', 0.9],
    ['b', 0.8],
  ])
  t.is(expand({ a: 1, b: 1, d: 1 }, { own: two }).size, 0)
})

test('expansion applies to sessions of short turns, not to pages', t => {
  const turns = (terms: number) => ({ facts: factsOf(conversation(['d'], terms)) })
  t.is(expand({ d: 0.4 }, turns(200)).size, 0)
  t.is(expand({ d: 0.4 }, turns(20)).size, 1)
})

test('evidence above the third best is not reduced', t => {
  const tied = new Map(Object.keys(keyword).map(id => [id, 0.5]))
  t.is(expand({ d: 5, e: 5 }, { own: tied }).size, 0)
})
