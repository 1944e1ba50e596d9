import test from 'ava'
import { neededWords } from '../../../../../src/daemon/safety/rules/needed-words.js'
import { wordsNeeded } from '../../../../../src/daemon/safety/rules/needs.js'
import { readWords } from '../../../../../src/daemon/safety/rules/rule.js'
import { allRules, joinedLetterRules } from '../../../../../src/daemon/safety/rules.js'

const needed = (...patterns: RegExp[]) => wordsNeeded(patterns).map(group => [...group].sort())

test('alternatives form one group of words, sequences form several', t => {
  t.deepEqual(needed(/\b(?:skip|omit)\s(?:rules|orders)\b/), [
    ['orders', 'rules'],
    ['omit', 'skip'],
  ])
  t.deepEqual(needed(/\b(?:a|b)(?:cde|fgh)\b/), [['acde', 'afgh', 'bcde', 'bfgh']])
})

test('an optional part is not a needed word and does not split its neighbours', t => {
  t.deepEqual(needed(/orders?/), [['order']])
  t.deepEqual(needed(/(?:all )?rules/), [['rules']])
  t.deepEqual(needed(/(?:very )*rules/), [['rules']])
  t.deepEqual(needed(/curl[^\n]{0,80}\.bash/), [['.bash'], ['curl']])
})

test('the beginning of a long word is enough', t => {
  t.deepEqual(needed(/authorized_keys/), [['authori']])
})

test('an alternative without own words needs none', t => {
  t.deepEqual(needed(/(?:curl|\w+)/), [])
  t.deepEqual(needed(/(?:-\w*e|--exec) (?:bash|cmd)/), [[' bash', ' cmd']])
})

test('lookarounds and character classes contribute no needed words', t => {
  t.deepEqual(needed(/rules(?! of the game)(?<=all rules)[(abcde)]/), [['rules']])
})

test('a repeated part is needed once and does not join its neighbours', t => {
  t.deepEqual(needed(/(?:abcd){2,3}defg/), [['defg'], ['abcd']])
})

test('the rarest groups of all patterns of a rule count', t => {
  t.deepEqual(needed(/\b(?:do|go)\b/, /crontab/), [['crontab']])
})

test('the generated words match the rules; run npm run build after a change', t => {
  const rules = [...allRules, ...joinedLetterRules]
  t.deepEqual(JSON.parse(neededWords), Object.fromEntries(rules.map(rule => [rule.id, readWords(rule)])))
})
