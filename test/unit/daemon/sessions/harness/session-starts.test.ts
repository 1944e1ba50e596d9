import test from 'ava'
import { createSessionStarts } from '../../../../../src/daemon/sessions/harness/session-starts.js'

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
