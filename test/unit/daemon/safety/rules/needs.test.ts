import test from 'ava'
import { neededWords } from '../../../../../src/daemon/safety/rules/needed-words.js'
import { wordsNeeded } from '../../../../../src/daemon/safety/rules/needs.js'
import { readWords } from '../../../../../src/daemon/safety/rules/rule.js'
import { allRules, joinedLetterRules } from '../../../../../src/daemon/safety/rules.js'

const needed = (...patterns: RegExp[]) => wordsNeeded(patterns).map(group => [...group].sort())

test('the words of an alternative are one group, those that follow each other several', t => {
  t.deepEqual(needed(/\b(?:skip|omit)\s(?:rules|orders)\b/), [
    ['orders', 'rules'],
    ['omit', 'skip'],
  ])
  t.deepEqual(needed(/\b(?:a|b)(?:cde|fgh)\b/), [['acde', 'afgh', 'bcde', 'bfgh']])
})

test('an optional part is no word that is needed, and divides nothing that stands together', t => {
  t.deepEqual(needed(/orders?/), [['order']])
  t.deepEqual(needed(/(?:all )?rules/), [['rules']])
  t.deepEqual(needed(/(?:very )*rules/), [['rules']])
  t.deepEqual(needed(/curl[^\n]{0,80}\.bash/), [['.bash'], ['curl']])
})

test('of a long word its beginning is enough', t => {
  t.deepEqual(needed(/authorized_keys/), [['authori']])
})

test('an alternative no error message of its own asks for none', t => {
  t.deepEqual(needed(/(?:curl|\w+)/), [])
  t.deepEqual(needed(/(?:-\w*e|--exec) (?:bash|cmd)/), [[' bash', ' cmd']])
})

test('what is only looked at is not needed, nor what stands in a class', t => {
  t.deepEqual(needed(/rules(?! of the game)(?<=all rules)[(abcde)]/), [['rules']])
})

test('a repeated part is needed once, and grows into no neighbour', t => {
  t.deepEqual(needed(/(?:abcd){2,3}defg/), [['defg'], ['abcd']])
})

test('of all patterns of a rule the rarest groups count', t => {
  t.deepEqual(needed(/\b(?:do|go)\b/, /crontab/), [['crontab']])
})

test('the build keeps what the patterns tell now; after a change of rules, npm run build', t => {
  const rules = [...allRules, ...joinedLetterRules]
  t.deepEqual(JSON.parse(neededWords), Object.fromEntries(rules.map(rule => [rule.id, readWords(rule)])))
})
