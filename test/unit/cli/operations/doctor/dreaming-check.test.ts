import test, { type ExecutionContext } from 'ava'
import { checkDreaming } from '../../../../../src/cli/operations/doctor/dreaming-check.js'
import { doctorContext, fakeCall } from './doctor-fakes.js'

const open = { mode: 'controlled-write', enabled: true, queue: { hygiene: 1, review_due: 1 } }
const at = '2026-01-01T00:00:00.000Z'

async function check(t: ExecutionContext, told: object, outcomes: readonly string[] = []) {
  const passes = outcomes.map(outcome => ({ outcome, endedAt: outcome === 'running' ? null : at }))
  const call = fakeCall({ 'GET /api/dream/status': () => ({ ...open, passes, ...told }) as never })
  return checkDreaming(await doctorContext(t, { call }))
}

test('passes that end are in order, and so is none yet', async t => {
  t.deepEqual(await check(t, {}, ['running', 'completed']), {
    severity: 'ok',
    evidence: `controlled-write, 2 things wait, last pass ${at}`,
  })
  t.like(await check(t, { queue: {} }), {
    evidence: 'controlled-write, 0 things wait, last pass never',
  })
})

test('three passes that failed one after the other are a warning, two are none', async t => {
  t.like(await check(t, {}, ['failed', 'failed', 'completed']), { severity: 'ok' })
  t.deepEqual(await check(t, {}, ['running', 'failed', 'failed', 'failed']), {
    severity: 'warning',
    evidence: `controlled-write, 2 things wait, last pass ${at}: the last three failed`,
    fix: 'memory daemon logs, then memory dream run --wait',
  })
})

test('off and paused are told, the latter with how to go on', async t => {
  for (const told of [{ enabled: false }, { mode: 'disabled' }])
    t.deepEqual(await check(t, told), { severity: 'info', evidence: 'off: nothing is read again' })
  t.like(await check(t, { mode: 'paused' }), {
    severity: 'info',
    fix: 'memory config set memory.pipelineV2.paused false',
  })
})
