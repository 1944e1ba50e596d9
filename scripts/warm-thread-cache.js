import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Calls that an index thread receives during and after a start. */
const calls = [
  ['use', { provider: 'none', model: '' }],
  ['stats'],
  ['search', { text: 'code cache', evidence: true, depth: 10 }],
]

/** Writes the code cache of the index thread by running it once, on the workspace that a daemon left. */
export async function warmThreadCache(bundle, { database, snapshot }) {
  const { port1: ask, port2: whenAsked } = new MessageChannel()
  const thread = new Worker(new URL('./run-cached-thread.js', import.meta.url), {
    workerData: { ahead: snapshot, choice: 'always', bundle, whenAsked },
    transferList: [whenAsked],
  })
  thread.postMessage({ type: 'begin', setup: { collection: 'memories', database, snapshot } })
  for (const [call, [name, ...given]] of calls.entries()) {
    thread.postMessage({ type: 'call', call, name, given })
    await answerTo(thread, call)
  }
  ask.postMessage('save')
  await once(thread, 'exit')
  ask.close()
}

async function answerTo(thread, call) {
  for (;;) {
    const [reply] = await once(thread, 'message')
    if (reply.type === 'error') throw reply.error
    if (reply.type === 'answer' && reply.call === call) return
  }
}
