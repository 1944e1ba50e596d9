// runs: in turn

import { join } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { getEnvironmentData, Worker } from 'node:worker_threads'
import test, { type ExecutionContext } from 'ava'
import { endThread, startThread } from '../../../../src/lib/threads/run-protected.js'

const [goesOn, isLetGo, isDone] = [0, 1, 2]

/** Starts a thread with protected work that runs until it is released, followed by an endless loop. */
async function busyThread(t: ExecutionContext) {
  const shared = getEnvironmentData('memory-service.undisturbed') as SharedArrayBuffer
  const state = new Int32Array(new SharedArrayBuffer(4))
  const text = `
    const { parentPort, threadId, workerData: { shared, state } } = require('node:worker_threads')
    const states = new Int32Array(shared)
    Atomics.store(states, threadId % states.length, threadId)
    parentPort.postMessage('begun')
    Atomics.wait(state, 0, ${goesOn})
    Atomics.store(state, 0, ${isDone})
    Atomics.store(states, threadId % states.length, 0)
    for (;;);`
  const worker = startThread(text, { eval: true, workerData: { shared, state } })
  t.teardown(() => worker.terminate())
  await new Promise(resolve => worker.once('message', resolve))
  const letGo = () => {
    Atomics.store(state, 0, isLetGo)
    Atomics.notify(state, 0)
  }
  return { worker, letGo, isDone: () => Atomics.load(state, 0) === isDone }
}

test('a thread is ended after its critical work', async t => {
  const thread = await busyThread(t)
  const ending = endThread(thread.worker)
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  t.false(thread.isDone())
  thread.letGo()
  await ending
  t.true(thread.isDone())
})

test('a thread that already ended does not block ending others', async t => {
  const ended = new Worker('', { eval: true })
  await new Promise(resolve => ended.once('exit', resolve))
  await endThread(ended)
  const thread = await busyThread(t)
  thread.letGo()
  await endThread(thread.worker)
  t.true(thread.isDone())
})

test('a thread about to end starts no further critical work', async t => {
  const source = (name: string) =>
    JSON.stringify(`file://${join(process.cwd(), 'src', 'lib', 'threads', name)}`)
  const text = `
    const { parentPort } = require('node:worker_threads')
    const { setTimeout: delay } = require('node:timers/promises')
    const run = async () => {
      await import(${source('thread-from-source.js')})
      const { runProtectedAsync } = await import(${source('run-protected.ts')})
      setInterval(() => runProtectedAsync(() => delay(50)), 5)
      parentPort.postMessage('begun')
    }
    void run()`
  const worker = startThread(text, { eval: true })
  t.teardown(() => worker.terminate())
  await new Promise(resolve => worker.once('message', resolve))
  await delay(100)
  t.is(await Promise.race([endThread(worker).then(() => 'ended'), delay(10_000, 'goes on')]), 'ended')
})

test('a thread that dies during critical work frees its place', async t => {
  const shared = getEnvironmentData('memory-service.undisturbed') as SharedArrayBuffer
  const text = `
    const { threadId, workerData } = require('node:worker_threads')
    const states = new Int32Array(workerData)
    Atomics.store(states, threadId % states.length, threadId)
    process.exit(1)`
  const worker = startThread(text, { eval: true, workerData: shared })
  const { threadId } = worker
  await new Promise(resolve => worker.once('exit', resolve))
  const states = new Int32Array(shared)
  t.is(Atomics.load(states, threadId % states.length), 0)
})
