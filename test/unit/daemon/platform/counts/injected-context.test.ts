import test from 'ava'
import { InjectedContext } from '../../../../../src/daemon/platform/counts/injected-context.js'

const morning = new Date(2026, 2, 10, 8)
const tomorrow = new Date(2026, 2, 11, 0, 1)

test('what sessions were given is counted by harness for today, and in all', t => {
  const injected = new InjectedContext()
  injected.note('starts', 100, { harness: 'codex', now: morning })
  injected.note('prompts', 0, { harness: 'codex', now: morning })
  injected.note('prompts', 300, { harness: 'claude-code', now: morning })
  t.deepEqual(injected.today(morning), [
    { harness: 'claude-code', starts: 0, prompts: 1, tokens: 300 },
    { harness: 'codex', starts: 1, prompts: 0, tokens: 100 },
  ])
  t.deepEqual(injected.today(tomorrow), [])
  injected.note('starts', 5, { harness: 'codex', now: tomorrow })
  t.deepEqual(injected.today(tomorrow), [{ harness: 'codex', starts: 1, prompts: 0, tokens: 5 }])
  t.deepEqual(injected.all(), { starts: 2, prompts: 1, tokens: 405 })
})

test('names of harnesses, which are anybody’s, take bounded room', t => {
  const injected = new InjectedContext()
  for (let number = 0; number < 1000; number++)
    injected.note('starts', 1, { harness: `agent ${number}`, now: morning })
  const today = injected.today(morning)
  t.is(today.length, 51)
  t.deepEqual(today[0], { harness: 'others', starts: 950, prompts: 0, tokens: 950 })
})
