import test from 'ava'
import { type Patience, patient } from '../../../../../src/daemon/operations/sync/transports/patient.js'
import {
  type Transport,
  TransportFault,
  type TransportFaultKind,
} from '../../../../../src/daemon/operations/sync/transports/transport.js'

function failing(faults: TransportFault[], transport: Partial<Transport> = {}) {
  const asked = { times: 0, now: 0, most: 0 }
  const get = async () => {
    asked.times++
    asked.most = Math.max(asked.most, ++asked.now)
    await new Promise(resolve => setImmediate(resolve))
    asked.now--
    const fault = faults.shift()
    if (fault) throw fault
    return Buffer.from('four')
  }
  return { asked, place: { place: 'here', get, ...transport } as Transport }
}

function patience() {
  const waits: number[] = []
  const counts = { sentBytes: 0, readBytes: 0, retries: 0, waiting: null }
  const options: Patience = {
    ...{ counts, signal: new AbortController().signal, random: () => 0 },
    wait: async ms => void waits.push(ms),
  }
  return { waits, counts, options }
}

const unreachable = (retryAfterMs?: number) =>
  new TransportFault('no answer', { kind: 'unreachable', retryAfterMs })

test('an unreachable place is asked again after growing waits, or when it said', async t => {
  const { waits, counts, options } = patience()
  const { place } = failing([unreachable(), unreachable(), unreachable(7000), unreachable()])
  t.is(String(await patient(place, options).get('x')), 'four')
  t.deepEqual(waits, [500, 1000, 7000, 4000])
  t.like(counts, { retries: 4, readBytes: 4, waiting: null })
})

test('it gives up after six attempts, and at once when it must wait longer than a minute', async t => {
  const { waits, options } = patience()
  await t.throwsAsync(
    patient(failing(Array.from({ length: 9 }, () => unreachable())).place, options).get('x'),
  )
  t.is(waits.length, 5)
  await t.throwsAsync(patient(failing([unreachable(61_000)]).place, options).get('x'))
  t.is(waits.length, 5)
})

test('other faults are not repeated', async t => {
  for (const kind of ['absent', 'refused', 'full', 'damaged'] satisfies TransportFaultKind[]) {
    const { waits, options } = patience()
    const { place } = failing([new TransportFault('no', { kind })])
    await t.throwsAsync(patient(place, options).get('x'), { message: 'no' })
    t.is(waits.length, 0)
  }
})

test('no more than four requests run at once', async t => {
  const { options } = patience()
  const { place, asked } = failing([])
  const one = patient(place, options)
  await Promise.all(Array.from({ length: 12 }, () => one.get('x')))
  t.is(asked.times, 12)
  t.is(asked.most, 4)
})
