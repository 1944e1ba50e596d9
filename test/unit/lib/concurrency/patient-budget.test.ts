import test from 'ava'
import { PatientBudget } from '../../../../src/lib/concurrency/patient-budget.js'
import { createTraffic } from '../../../../src/lib/concurrency/traffic.js'

test('work that nobody waits for stands still while somebody is served', async t => {
  const traffic = createTraffic()
  const budget = new PatientBudget(1000, traffic)
  t.is(budget.breathe(), undefined)
  const leave = traffic.enter()
  const order: string[] = []
  const step = Promise.resolve(budget.breathe()).then(() => order.push('step'))
  await new Promise(setImmediate)
  order.push('served')
  leave()
  await step
  t.deepEqual(order, ['served', 'step'])
  t.is(budget.breathe(), undefined)
})

test('who is served for long does not keep it from its end', async t => {
  const traffic = createTraffic()
  const budget = new PatientBudget(1, traffic)
  traffic.enter()
  for (let step = 0; step < 5; step++) await budget.begin().breathe()
  t.false(traffic.isQuiet())
})
