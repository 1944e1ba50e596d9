import test from 'ava'
import {
  createOwedStarts,
  createSessionStarts,
} from '../../../../../src/daemon/sessions/harness/session-starts.js'

function following(now = () => 0) {
  const starts = createSessionStarts(now)
  return (hook: Parameters<typeof starts.hear>[0], source?: string, subagent?: string) =>
    starts.hear(hook, { sessionKey: 's-1', source, subagent })
}

test('a session that is compacted as it is resumed starts once, with the context emptied', t => {
  const hear = following()
  hear('pre-compaction')
  hear('compaction-complete')
  t.deepEqual(hear('session-start', 'resume'), { source: 'compact' })
  t.deepEqual(hear('session-start', 'compact'), { claimOnly: true })
  hear('user-prompt-submit')
  t.deepEqual(hear('session-start', 'compact'), {})
})

test('a compaction in the midst of a session starts it once more', t => {
  const hear = following()
  t.deepEqual(hear('session-start', 'startup'), {})
  hear('compaction-complete')
  t.deepEqual(hear('session-start', 'compact'), { source: 'compact' })
  t.deepEqual(hear('session-start', 'compact'), {})
})

test('a start that comes long after, or after another hook, is one of its own', t => {
  let now = 0
  const hear = following(() => now)
  hear('compaction-complete')
  now = 60_001
  t.deepEqual(hear('session-start', 'resume'), {})
  hear('compaction-complete')
  hear('session-end')
  t.deepEqual(hear('session-start', 'resume'), {})
})

test('what a sub-agent does is nothing between two starts', t => {
  const hear = following()
  hear('compaction-complete')
  t.deepEqual(hear('notifications', undefined, 'explorer'), {})
  t.deepEqual(hear('session-start', 'resume'), { source: 'compact' })
})

const startup = { source: 'startup' }
const told = (count: number) => createOwedStarts(async () => count)

test('a start is owed to one prompt, and each start anew', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  t.deepEqual(await owed.take('s-1'), startup)
  t.is(await owed.take('s-1'), undefined)
  owed.owe('s-1', { source: 'resume' })
  t.deepEqual(await owed.take('s-1'), { source: 'resume' })
})

test('of prompts at the same moment one gets the start, known or not', async t => {
  const owed = told(0)
  owed.owe('s-1', startup)
  for (const key of ['s-1', 's-2']) {
    const starts = await Promise.all([owed.take(key), owed.take(key), owed.take(key)])
    t.is(starts.filter(Boolean).length, 1, key)
  }
})

test('a session that nothing is known of is owed its start until it had a prompt', async t => {
  t.deepEqual(await told(0).take('s-1'), { source: undefined })
  t.is(await told(1).take('s-1'), undefined)
})

test('a start that comes while the prompts are counted is owed', async t => {
  const owed = createOwedStarts(async key => {
    owed.owe(key, startup)
    return 3
  })
  t.deepEqual(await owed.take('s-1'), startup)
})

test('what was forgotten of very many sessions follows from their prompts', async t => {
  const owed = told(1)
  for (let n = 0; n <= 1000; n++) owed.owe(`s-${n}`, startup)
  t.is(await owed.take('s-0'), undefined)
  t.deepEqual(await owed.take('s-1'), startup)
})
