import test from 'ava'
import { InjectedContext } from '../../../../../src/daemon/platform/counts/request-counts.js'

const morning = new Date(2026, 2, 10, 8)
const tomorrow = new Date(2026, 2, 11, 0, 1)

test('injected context is counted by harness, for today and in total', t => {
  const injected = new InjectedContext()
  injected.note('starts', 100, { harness: 'codex', now: morning })
  injected.note('prompts', 0, { harness: 'codex', now: morning })
  injected.note('prompts', 300, { harness: 'claude-code', now: morning })
  t.deepEqual(injected.today(morning).byHarness, [
    { harness: 'claude-code', starts: 0, prompts: 1, tokens: 300 },
    { harness: 'codex', starts: 1, prompts: 0, tokens: 100 },
  ])
  t.deepEqual(injected.today(tomorrow).byHarness, [])
  injected.note('starts', 5, { harness: 'codex', now: tomorrow })
  t.deepEqual(injected.today(tomorrow).byHarness, [{ harness: 'codex', starts: 1, prompts: 0, tokens: 5 }])
  t.deepEqual(injected.all(), { starts: 2, prompts: 1, tokens: 405 })
})

test('unknown harness names are counted together and not reported (telemetry.md 2)', t => {
  const injected = new InjectedContext()
  for (let number = 0; number < 1000; number++)
    injected.note('starts', 1, { harness: `agent ${number}`, now: morning })
  t.deepEqual(injected.today(morning).byHarness, [
    { harness: 'others', starts: 1000, prompts: 0, tokens: 1000 },
  ])
})

test('a restart continues the counts of the day, and midnight starts new ones', t => {
  const before = new InjectedContext()
  before.note('starts', 100, { harness: 'codex', now: morning })
  const kept = before.kept(morning)
  t.is(kept.since, morning.toISOString(), 'nobody counted before')
  const noon = new Date(2026, 2, 10, 12)
  const after = new InjectedContext()
  after.note('prompts', 20, { harness: 'codex', now: noon })
  after.goOn(kept, noon)
  t.deepEqual(after.today(noon), {
    since: morning.toISOString(),
    byHarness: [{ harness: 'codex', starts: 1, prompts: 1, tokens: 120 }],
  })
  t.deepEqual(after.all(), { starts: 0, prompts: 1, tokens: 20 })
  const next = new InjectedContext()
  next.goOn(kept, tomorrow)
  t.deepEqual(next.today(tomorrow), { since: new Date(2026, 2, 11).toISOString(), byHarness: [] })
})
