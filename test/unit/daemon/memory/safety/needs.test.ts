import test from 'ava'
import { wordsNeeded } from '../../../../../src/daemon/memory/safety/needs.js'

const needed = (...patterns: RegExp[]) => wordsNeeded(patterns).map(group => [...group].sort())

test('the words of an alternative are one group, those that follow each other several', t => {
  t.deepEqual(needed(/\b(?:ignore|forget) (?:rules|orders)\b/), [
    ['forget orders', 'forget rules', 'ignore orders', 'ignore rules'],
  ])
  t.deepEqual(needed(/\b(?:ignore|forget)\s(?:rules|orders)\b/), [
    ['forget', 'ignore'],
    ['orders', 'rules'],
  ])
})

test('an optional part is no word that is needed, and divides nothing that stands together', t => {
  t.deepEqual(needed(/instructions?/), [['instruction']])
  t.deepEqual(needed(/(?:all )?rules/), [['rules']])
  t.deepEqual(needed(/(?:very )*rules/), [['rules']])
  t.deepEqual(needed(/curl[^\n]{0,80}\.sh/), [['curl'], ['.sh']])
})

test('an alternative without a word of its own asks for none', t => {
  t.deepEqual(needed(/(?:curl|\w+)/), [])
  t.deepEqual(needed(/ (?:-\w*e|--exec)(?:sh|cmd)/), [['cmd', 'sh']])
})

test('what is only looked at is not needed', t => {
  t.deepEqual(needed(/rules(?! of the game)(?<=all rules)/), [['rules']])
})

test('a repeated part is needed once, and grows into no neighbour', t => {
  t.deepEqual(needed(/(?:abc){2,3}de/), [['abc'], ['de']])
})

test('of all patterns of a rule the rarest groups count', t => {
  t.deepEqual(needed(/\b(?:do|go)\b/, /authorized_keys/)[0], ['authorized_keys'])
})
