import { setTimeout as delay } from 'node:timers/promises'
import {
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  threadId,
  type Worker,
} from 'node:worker_threads'

/** Each thread is handed it when it starts; `bin/begin-index-thread.js` starts one before this program is read. */
const name = 'memory-service.undisturbed'
/** One for each thread: its number while it does what it must not be ended in, minus that while it is being ended. */
const states = new Int32Array(sharedBytes())
const free = 0
const placeOf = (thread: number): number => thread % states.length
const change = (thread: number, from: number, to: number): number =>
  Atomics.compareExchange(states, placeOf(thread), from, to)

function sharedBytes(): SharedArrayBuffer {
  const given = getEnvironmentData(name)
  if (given instanceof SharedArrayBuffer) return given
  const made = new SharedArrayBuffer(1024)
  setEnvironmentData(name, made)
  return made
}

/**
 * Does in a thread what it must not be ended in: `endThread` waits for it. A thread that is being ended, which may run on
 * for a while, does not begin. Nobody ends the main thread so.
 */
export function undisturbed<T>(work: () => T): T {
  if (isMainThread) return work()
  for (;;) {
    const state = change(threadId, free, threadId)
    if (state === free) break
    // In a thread this ends the thread.
    if (state === -threadId) process.exit()
    // Another thread that shares the place.
    Atomics.wait(states, placeOf(threadId), state, 1)
  }
  try {
    return work()
  } finally {
    change(threadId, threadId, free)
  }
}

/** Ends a thread at once, or as soon as it has done what must not be interrupted. */
export async function endThread(worker: Worker): Promise<void> {
  const { threadId: thread } = worker
  // Of one that has ended it is -1.
  if (thread < 0) return
  // It may end by itself in the midst of it.
  worker.once('exit', () => change(thread, thread, free))
  while (change(thread, free, -thread) !== free) await delay(1)
  await worker.terminate()
  change(thread, -thread, free)
}
