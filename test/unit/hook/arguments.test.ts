import test from 'ava'
import { readArguments } from '../../../src/hook/arguments.js'

const timeoutOf = (words: string, environment = {}): unknown => {
  const read = readArguments(words.split(' '), environment)
  return typeof read === 'string' ? read : read.timeoutMs
}

test('a session start may take 3 s, every other hook 1 s', t => {
  t.is(timeoutOf('session-start -H codex'), 3000)
  for (const name of ['user-prompt-submit', 'session-end', 'pre-compaction', 'checkpoint', 'notifications'])
    t.is(timeoutOf(`${name} -H codex`), 1000)
})

test('--timeout sets the limit, and for prompt submit the environment takes precedence (rules.md 4.12)', t => {
  const environment = { SERVICE_PROMPT_SUBMIT_TIMEOUT: '700' }
  t.is(timeoutOf('session-end -H codex --timeout 250', environment), 250)
  t.is(timeoutOf('user-prompt-submit -H codex --timeout 250', environment), 700)
  t.is(timeoutOf('user-prompt-submit -H codex --timeout 250'), 250)
})

test('an environment value that is not milliseconds is ignored', t => {
  for (const value of ['', 'soon', '-1', '0', '1e3', '9999999'])
    t.is(timeoutOf('user-prompt-submit -H codex', { SERVICE_PROMPT_SUBMIT_TIMEOUT: value }), 1000)
})

test('unknown hooks, harnesses and flags are reported', t => {
  t.regex(String(readArguments(['start', '-H', 'codex'])), /unknown hook 'start'/)
  t.regex(String(readArguments(['session-start', '-H', 'vim'])), /unknown harness 'vim'/)
  t.regex(String(readArguments(['session-start', '-H'])), /-H needs a value/)
  t.regex(
    String(readArguments(['session-start', 'again', '-H', 'codex'])),
    /unknown hook 'session-start again'/,
  )
  t.regex(String(readArguments(['session-start', '-x'])), /unknown flag '-x'/)
  t.is(typeof readArguments(['session-start', '-H', 'codex', '--plugin']), 'object')
})
