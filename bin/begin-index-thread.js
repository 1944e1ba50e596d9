'use strict'
const { statSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { join } = require('node:path')
const { setEnvironmentData, Worker } = require('node:worker_threads')
// Gives the thread a young generation of 4 MiB, times three for copying. A thread started before
// small-heap.js sets the process flag would get V8's default of 16 MiB.
const resourceLimits = require('./thread-limits.json')

/** Smaller snapshots belong to stores with too few memories for a thread. */
const largeBytes = 4_000_000

/**
 * Starts the thread of a large index before the daemon's own program loads. It reads the snapshot on another
 * core, which the first answer of a large store waits for. begun-thread.ts takes the thread over or ends it.
 * It opens no database, since the workspace is not locked yet.
 */
function beginIndexThread({ SERVICE_WORKSPACE: workspace, SERVICE_INDEX_THREAD: choice }) {
  if (!workspace || choice === 'never' || availableParallelism() === 1) return
  const snapshot = join(workspace, '.daemon', 'index.snapshot')
  if (bytesOf(snapshot) < (choice === 'always' ? 1 : largeBytes)) return
  // The same key as in src/lib/threads/run-protected.ts, which passes the value to later threads.
  setEnvironmentData('memory-service.undisturbed', new SharedArrayBuffer(1024))
  const worker = new Worker(join(__dirname, 'index-thread.js'), {
    workerData: { ahead: snapshot, choice },
    resourceLimits,
  })
  const begun = { worker, snapshot, hasEnded: false }
  const end = () => {
    begun.hasEnded = true
  }
  worker.once('error', end).once('exit', end)
  globalThis[Symbol.for('memory-service.begun-index-thread')] = begun
}

function bytesOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

module.exports = { beginIndexThread }
