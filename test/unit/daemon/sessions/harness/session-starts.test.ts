import test from 'ava'
import {
  createPendingStarts,
  createSessionStarts,
  createToldClocks,
} from '../../../../../src/daemon/sessions/harness/session-starts.js'

function following(now = () => 0) {
  const starts = createSessionStarts(now)
  return (hook: Parameters<typeof starts.hear>[0], source?: string, subagent?: string) =>
    starts.hear(hook, { sessionKey: 's-1', source, subagent })
}

test('a session compacted on resume starts once, with an empty context', t => {
  const hear = following()
  hear('pre-compaction')
  hear('compaction-complete')
  t.deepEqual(hear('session-start', 'resume'), { source: 'compact' })
  t.deepEqual(hear('session-start', 'compact'), { claimOnly: true })
  hear('user-prompt-submit')
  t.deepEqual(hear('session-start', 'compact'), {})
})

test('a compaction during a session starts it once more', t => {
  const hear = following()
  t.deepEqual(hear('session-start', 'startup'), {})
  hear('compaction-complete')
  t.deepEqual(hear('session-start', 'compact'), { source: 'compact' })
  t.deepEqual(hear('session-start', 'compact'), {})
})

test('a late start, or one after another hook, counts separately', t => {
  let now = 0
  const hear = following(() => now)
  hear('compaction-complete')
  now = 60_001
  t.deepEqual(hear('session-start', 'resume'), {})
  hear('compaction-complete')
  hear('session-end')
  t.deepEqual(hear('session-start', 'resume'), {})
})

test('hooks of a sub-agent between two starts are ignored', t => {
  const hear = following()
  hear('compaction-complete')
  t.deepEqual(hear('notifications', undefined, 'explorer'), {})
  t.deepEqual(hear('session-start', 'resume'), { source: 'compact' })
})

const startup = { source: 'startup' }
const told = (count: number | undefined) => createPendingStarts(async () => count)

test('each start is delivered with one prompt only', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  t.deepEqual(await owed.take('s-1', true), startup)
  t.is(await owed.take('s-1', true), undefined)
  owed.owe('s-1', { source: 'resume' })
  t.deepEqual(await owed.take('s-1', true), { source: 'resume' })
})

test('of simultaneous prompts only one gets the start', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  for (const key of ['s-1', 's-2']) {
    const starts = await Promise.all([owed.take(key, true), owed.take(key, true), owed.take(key, true)])
    t.is(starts.filter(Boolean).length, 1, key)
  }
})

test('an unknown session gets its start with its first prompt', async t => {
  t.deepEqual(await told(0).take('s-1', true), { source: undefined })
  t.is(await told(1).take('s-1', true), undefined)
})

test('a start that arrives during the count of prompts is delivered', async t => {
  const owed = createPendingStarts(async key => {
    owed.owe(key, startup)
    return 3
  })
  t.deepEqual(await owed.take('s-1', true), startup)
})

test('for forgotten sessions the number of prompts decides', async t => {
  const owed = told(1)
  for (let n = 0; n <= 1000; n++) owed.owe(`s-${n}`, startup)
  t.is(await owed.take('s-0', true), undefined)
  t.deepEqual(await owed.take('s-1', true), startup)
})

test('a session that no start announced gets it with its prompt, in every harness', async t => {
  t.deepEqual(await told(undefined).take('s-1', false), { source: undefined })
  t.is(await told(0).take('s-1', false), undefined)
  const owed = told(undefined)
  owed.given('s-1')
  t.is(await owed.take('s-1', false), undefined)
})

test('the time comes once a session, when the day changed, and after the context was emptied', t => {
  const clocks = createToldClocks()
  const [noon, evening] = ['Current time: 2026-03-29T12:00:00', 'Current time: 2026-03-29T20:00:00']
  const next = 'Current time: 2026-03-30T08:00:00'
  t.deepEqual(
    [clocks.take('s-1', noon), clocks.take('s-1', evening), clocks.take('s-2', evening)],
    [noon, '', evening],
  )
  t.is(clocks.take('s-1', next), next)
  clocks.forget('s-1')
  t.is(clocks.take('s-1', next), next)
})
