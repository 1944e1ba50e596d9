import test from 'ava'
import type { DaemonEvent, Worker } from '../../../../src/daemon/platform/jobs/worker.js'
import { assembleCrew } from '../../../../src/daemon/process/crew.js'

const dig = { kind: 'dig', maxAttempts: 1 }
const sow = { kind: 'sow', maxAttempts: 1 }

/** A worker that records the events it receives. */
function worker(kind?: string, isBusy = false) {
  const told: string[] = []
  const own: Worker = {
    ...(kind !== undefined && { kind }),
    start: () => void told.push('start'),
    wake: () => void told.push('wake'),
    busy: () => isBusy,
    hear: (event: DaemonEvent) => void told.push(event),
    close: async () => void told.push('close'),
  }
  return { told, own }
}

test('a kind of job without a worker fails the start', t => {
  const error = t.throws(() => assembleCrew([worker('dig').own], [dig, sow]))
  t.is(error?.message, 'no worker does jobs of the kind sow')
})

test('a kind of job with two workers fails the start', t => {
  const error = t.throws(() => assembleCrew([worker('dig').own, worker('dig').own], [dig]))
  t.is(error?.message, 'two workers do jobs of the kind dig')
})

test('a job wakes its own worker, an event reaches all workers', async t => {
  const [digger, sower, other] = [worker('dig'), worker('sow'), worker()]
  const crew = assembleCrew([digger.own, sower.own, other.own], [dig, sow])
  crew.start()
  crew.wake(sow)
  crew.tell('thawed')
  await crew.close()
  t.deepEqual(digger.told, ['start', 'thawed', 'close'])
  t.deepEqual(sower.told, ['start', 'wake', 'thawed', 'close'])
  t.deepEqual(other.told, digger.told)
})

test('a crew is busy while one of its workers is busy', t => {
  t.true(assembleCrew([worker().own, worker('dig', true).own], [dig]).busy())
  t.false(assembleCrew([worker().own, worker('dig').own], [dig]).busy())
})
