// runs: in turn

import test from 'ava'
import {
  questionEvidence,
  questionShare,
  replyEvidence,
} from '../../../../../../src/daemon/memory/recall/ranking/questions.js'
import { cpuMsOf } from '../../../../../helpers/cpu-time.js'
import { conversation, factsOf } from './sample-context.js'

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
