// runs: in turn

import test from 'ava'
import { PatientBudget } from '../../../../../src/daemon/knowledge/transcript-import/import-worker.js'
import { createTraffic } from '../../../../../src/lib/concurrency/in-flight.js'

test('background work pauses while requests are served', async t => {
  const traffic = createTraffic()
  const budget = new PatientBudget(1000, traffic)
  t.is(budget.breathe(), undefined)
  const leave = traffic.enter()
  const order: string[] = []
  const step = Promise.resolve(budget.breathe()).then(() => order.push('step'))
  // Without a turn of the event loop, because on a busy machine the longest wait could pass in it.
  for (let count = 0; count < 20; count++) await undefined
  order.push('served')
  leave()
  await step
  t.deepEqual(order, ['served', 'step'])
  t.is(budget.breathe(), undefined)
})

test('background work still finishes during constant traffic', async t => {
  const traffic = createTraffic()
  const budget = new PatientBudget(1, traffic)
  traffic.enter()
  for (let step = 0; step < 5; step++) await budget.begin().breathe()
  t.false(traffic.isQuiet())
})
