import { getEnvironmentData, Worker } from 'node:worker_threads'
import test from 'ava'
import { endThread } from '../../../src/lib/undisturbed.js'

/** A thread that does what must not be interrupted for a while, and then something that never ends. */
function busyThread(undisturbedMs: number) {
  const shared = getEnvironmentData('memory-service.undisturbed') as SharedArrayBuffer
  const done = new Int32Array(new SharedArrayBuffer(4))
  const text = `
    const { parentPort, threadId, workerData: { shared, done, undisturbedMs } } = require('node:worker_threads')
    const states = new Int32Array(shared)
    Atomics.store(states, threadId % states.length, threadId)
    parentPort.postMessage('began')
    const end = Date.now() + undisturbedMs
    while (Date.now() < end);
    Atomics.store(done, 0, 1)
    Atomics.store(states, threadId % states.length, 0)
    for (;;);`
  const worker = new Worker(text, { eval: true, workerData: { shared, done, undisturbedMs } })
  return {
    worker,
    isDone: () => Atomics.load(done, 0) === 1,
    begun: new Promise(resolve => worker.once('message', resolve)),
  }
}

test('a thread is ended when it has done what must not be interrupted', async t => {
  const { worker, begun, isDone } = busyThread(150)
  await begun
  t.false(isDone())
  await endThread(worker)
  t.true(isDone())
})

test('a thread that ended by itself keeps nobody from ending others', async t => {
  const ended = new Worker('', { eval: true })
  await new Promise(resolve => ended.once('exit', resolve))
  await endThread(ended)
  const { worker, begun } = busyThread(0)
  await begun
  await endThread(worker)
  t.pass()
})
