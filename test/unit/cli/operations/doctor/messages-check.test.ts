import test, { type ExecutionContext } from 'ava'
import { checkMessages } from '../../../../../src/cli/operations/doctor/messages-check.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

async function check(t: ExecutionContext, live: number) {
  const call = fakeCall({ 'GET /api/cross-agent/messages': () => ({ capacity: { live, limit: 10_000 } }) })
  return checkMessages(await doctorContext(t, { call }))
}

test('inboxes that are nearly full are a warning, others are not (messages.md 8)', async t => {
  t.deepEqual(await check(t, 8999), {
    severity: 'ok',
    evidence: '8999 of 10000 messages wait or are kept',
  })
  const full = await check(t, 9000)
  t.is(full.severity, 'warning')
  t.regex(full.evidence, /^9000 of 10000 messages .* refused, unless some were acknowledged/u)
  t.regex(full.fix ?? '', /^memory messages inbox/u)
})
