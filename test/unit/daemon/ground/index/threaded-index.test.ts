// runs: alone

import { EventEmitter } from 'node:events'
import test from 'ava'
import { pino } from 'pino'
import {
  dropPreparedThread,
  startIndexThread,
} from '../../../../../src/daemon/ground/index/threaded-index.js'

const place = Symbol.for('memory-service.begun-index-thread')

/** Leaves the same globals as `bin/begin-index-thread.js`, with a thread that only records messages. */
function prepareThread({ snapshot = '/w/index.snapshot', hasEnded = false } = {}) {
  const told: { type: string }[] = []
  const state = { terminated: false }
  const worker = Object.assign(new EventEmitter(), {
    postMessage: (message: { type: string }) => void told.push(message),
    terminate: async () => {
      state.terminated = true
    },
  })
  Object.assign(globalThis, { [place]: { worker, snapshot, hasEnded } })
  return { told, state }
}

const setup = {
  collection: 'memories',
  database: '/w/memories.db',
  snapshot: '/w/index.snapshot',
} as const
const options = { ...setup, log: pino({ level: 'silent' }), onDeath: () => undefined }

test.serial(
  'a prepared thread receives its setup first, then the changes of one moment together',
  async t => {
    const { told, state } = prepareThread()
    const index = startIndexThread(options)
    index.remove('a')
    index.remove('b', 7)
    await Promise.resolve()
    t.deepEqual(told, [
      { type: 'begin', setup: { ...setup, segments: undefined, shard: undefined } },
      {
        type: 'changes',
        changes: [
          { type: 'remove', id: 'a', before: undefined },
          { type: 'remove', id: 'b', before: 7 },
        ],
      },
    ] as never)
    dropPreparedThread()
    t.false(state.terminated, 'it has a user')
  },
)

test.serial('an unused prepared thread is terminated', t => {
  const { state } = prepareThread()
  dropPreparedThread()
  t.true(state.terminated)
  dropPreparedThread()
})
