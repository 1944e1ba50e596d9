import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { captured } from '../helpers/captures.js'
import { startDaemon } from '../helpers/daemon.js'

test('long sessions that end together are captured completely, while other requests are answered', async t => {
  const daemon = await startDaemon(t)
  const turns = (key: string) =>
    Array.from(
      { length: 250 },
      (_, n) => `${n % 2 ? 'assistant' : 'user'}: ${key} ${n} ${'the crane lifts '.repeat(60)}`,
    )
  const keys = Array.from({ length: 8 }, (_, n) => `s${n}`)
  const ends = keys.map(sessionKey =>
    daemon.call('POST /api/hooks/session-end', {
      body: { harness: 'codex', sessionKey, transcript: turns(sessionKey).join('\n') },
    }),
  )
  const state = { waiting: true, answered: 0 }
  const others = (async () => {
    while (state.waiting) {
      t.is((await daemon.call('GET /api/status')).status, 200)
      state.answered++
      // Requests without a pause would take processor time from the work under test.
      await delay(5)
    }
  })()
  for (const { body } of await Promise.all(ends)) {
    const receipt = await captured(daemon, body.transcriptCaptureJobId ?? '')
    t.is(receipt.status, 'completed')
  }
  state.waiting = false
  await others
  t.true(state.answered > 1, `${state.answered} other requests`)
  for (const key of keys) {
    const { body } = await daemon.call('GET /api/sessions/:key/transcript', { params: { key } })
    t.is(body.messages, 250)
    t.is(body.content, turns(key).join('\n\n'))
  }
})
