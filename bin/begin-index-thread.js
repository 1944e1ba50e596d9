'use strict'
const { statSync } = require('node:fs')
const { availableParallelism } = require('node:os')
const { join } = require('node:path')
const { setEnvironmentData, Worker } = require('node:worker_threads')
// What is young has 4 MiB there, three times that with the room to copy it: a thread that begins before the flag of the
// process is set (small-heap.js) would get V8's 16.
const resourceLimits = require('./thread-limits.json')

/** Snapshots of fewer bytes are of fewer memories than have a thread. */
const largeBytes = 4_000_000

/**
 * Begins the thread of a large index before the daemon's own program is read: it reads the snapshot on another core
 * meanwhile, which the first answer of a large store waits for. Who takes it, or ends it: begun-thread.ts. It opens no
 * database, since nobody holds the workspace yet.
 */
function beginIndexThread({ SERVICE_WORKSPACE: workspace, SERVICE_INDEX_THREAD: choice }) {
  if (!workspace || choice === 'never' || availableParallelism() === 1) return
  const snapshot = join(workspace, '.daemon', 'index.snapshot')
  if (bytesOf(snapshot) < (choice === 'always' ? 1 : largeBytes)) return
  // The value that src/lib/threads/undisturbed.ts passes to later threads.
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
