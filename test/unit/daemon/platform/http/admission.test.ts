import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test from 'ava'
import { pino } from 'pino'
import {
  admissionPrecisionMs,
  createAdmission,
  endWithAdmission,
} from '../../../../../src/daemon/platform/http/admission.js'
import { manualTime } from '../../../../helpers/manual-time.js'

test('a place is released once, however often its owner leaves', t => {
  const admission = createAdmission(2)
  const leave = admission.enter()
  t.truthy(admission.enter())
  t.is(admission.enter(), undefined)
  leave?.()
  leave?.()
  t.truthy(admission.enter())
  t.is(admission.enter(), undefined)
})

function watched(isAdmitted: () => Promise<boolean>) {
  const time = manualTime()
  const warnings: string[] = []
  const stream = new Readable({ read: () => undefined })
  const log = pino({ level: 'warn' }, { write: line => void warnings.push(line) })
  endWithAdmission(stream, { isAdmitted, log, timers: time.timers })
  return { ...time, stream, warnings }
}

test('a stream ends once its reader loses access, and checks stop then (security.md 5.2)', async t => {
  const state = { admitted: true, asked: 0 }
  const { stream, advance, waits } = watched(async () => {
    state.asked++
    return state.admitted
  })
  advance(admissionPrecisionMs)
  await nextTurn()
  t.false(stream.destroyed)
  state.admitted = false
  const closed = once(stream, 'close')
  advance(admissionPrecisionMs)
  await closed
  t.is(state.asked, 2)
  t.deepEqual(waits(), [])
})

test('a failing check is logged and ends no stream; a hanging one is not repeated', async t => {
  const failing = watched(() => Promise.reject(new Error('disk')))
  failing.advance(admissionPrecisionMs)
  await nextTurn()
  t.false(failing.stream.destroyed)
  t.is(failing.warnings.length, 1)
  let asked = 0
  const hanging = watched(() => {
    asked++
    return new Promise(() => undefined)
  })
  hanging.advance(3 * admissionPrecisionMs)
  t.is(asked, 1)
})
