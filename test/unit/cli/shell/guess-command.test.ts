import test from 'ava'
import { guessCommands } from '../../../../src/cli/shell/guess-command.js'

const known = ['messages inbox', 'messages send', 'recall', 'secrets delete', 'tasks list', 'tasks remove']

test('a command is guessed from similar letters', t => {
  t.deepEqual(guessCommands('recal', known), ['recall'])
  t.is(guessCommands('messages sned', known)[0], 'messages send')
})

test('a command is guessed from its meaning, within its topic', t => {
  t.deepEqual(guessCommands('messages list', known), ['messages inbox'])
  t.deepEqual(guessCommands('tasks rm', known), ['tasks remove'])
  t.deepEqual(guessCommands('secrets rm', known), ['secrets delete'])
  t.deepEqual(guessCommands('tasks whatever-it-is', known), [])
})
