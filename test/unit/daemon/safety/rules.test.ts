import test from 'ava'
import { joinSpelledLetters } from '../../../../src/daemon/safety/disguise.js'
import { matches, type Rule } from '../../../../src/daemon/safety/rules/rule.js'
import { allRules, joinedLetterRules, vocabulary } from '../../../../src/daemon/safety/rules.js'
import { scanContent } from '../../../../src/daemon/safety/scan.js'
import { fold } from '../../../../src/daemon/safety/text/fold.js'
import { createView } from '../../../../src/daemon/safety/text/view.js'

const rules = [...allRules, ...joinedLetterRules]

function hits(rule: Rule, text: string): boolean {
  const read = joinedLetterRules.includes(rule) ? joinSpelledLetters(fold(text)) : fold(text)
  return matches(rule, createView(read, vocabulary, { quotes: true }))
}

test('every rule matches its positive example, and the scan reports its reason', t => {
  const missed = rules.filter(
    rule => !hits(rule, rule.catches) || !scanContent(rule.catches).reasons.includes(rule.reason),
  )
  t.deepEqual(
    missed.map(({ id }) => id),
    [],
  )
})

test('no rule matches its negative example, and the scan calls it clean', t => {
  const flagged = rules.filter(({ passes }) => scanContent(passes).status !== 'clean')
  t.deepEqual(
    flagged.map(({ id }) => id),
    [],
  )
})

test('rule ids are kebab-case and unique', t => {
  t.deepEqual(
    rules.filter(({ id }) => !/^[a-z]+(?:-[a-z]+)*$/.test(id)).map(({ id }) => id),
    [],
  )
  t.is(new Set(rules.map(({ id }) => id)).size, rules.length)
})

test('every rule except the fork bomb has words that it needs', t => {
  t.deepEqual(
    rules.filter(({ needs }) => needs.length === 0).map(({ id }) => id),
    ['fork-bomb'],
  )
})
