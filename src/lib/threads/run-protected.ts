import { setTimeout as delay } from 'node:timers/promises'
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, Worker } from 'node:worker_threads'

/**
 * Key under which each new thread receives the shared states. `bin/begin-index-thread.js` starts a thread
 * before this program is loaded, and uses the same key.
 */
const name = 'memory-service.undisturbed'
/**
 * One state per thread: `free`, its thread number during protected work, that number marked as awaited once
 * another thread waits to end it, or the negative number while it is being ended.
 */
const states = new Int32Array(sharedBytes())
const free = 0
const awaited = (thread: number): number => thread | (1 << 30)
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
 * Nesting depth of protected work in this thread. Asynchronous work can overlap, unless another thread waits
 * to end it.
 */
let begun = 0

/**
 * Runs protected work: `endThread` waits until it is done. A thread that is being ended, which may still run
 * for a while, never starts it. The main thread needs no protection.
 */
export function runProtected<T>(work: () => T): T {
  begin()
  try {
    return work()
  } finally {
    end()
  }
}

/**
 * Runs asynchronous protected work. Once another thread waits to end this one, new work never starts and its
 * promise never resolves. The work must not start other protected work.
 */
export async function runProtectedAsync<T>(work: () => Promise<T>): Promise<T> {
  if (begun > 0 && Atomics.load(states, placeOf(threadId)) === awaited(threadId)) return never
  begin()
  try {
    return await work()
  } finally {
    end()
  }
}

const never = new Promise<never>(() => undefined)

function begin(): void {
  if (isMainThread || begun++ > 0) return
  for (;;) {
    const state = change(threadId, free, threadId)
    if (state === free) return
    // Inside a worker this ends only the thread.
    if (state === -threadId) process.exit()
    // Another thread shares the slot.
    Atomics.wait(states, placeOf(threadId), state, 1)
  }
}

function end(): void {
  if (isMainThread || --begun > 0) return
  if (change(threadId, threadId, free) !== threadId) change(threadId, awaited(threadId), -threadId)
}

/**
 * Starts a thread that may run protected work. Its slot is freed even if it crashes or runs out of memory.
 */
export function startThread(...given: ConstructorParameters<typeof Worker>): Worker {
  return freeSlotAtExit(new Worker(...given))
}

/** Frees the slot of a thread that was started elsewhere once it exits. */
export function freeSlotAtExit(worker: Worker): Worker {
  const { threadId: thread } = worker
  worker.once('exit', () => {
    for (const state of [thread, awaited(thread)]) change(thread, state, free)
  })
  return worker
}

/** Ends a thread as soon as it runs no protected work. */
export async function endThread(worker: Worker): Promise<void> {
  const { threadId: thread } = worker
  // The thread id is -1 after the exit.
  if (thread < 0) return
  for (;;) {
    const state = change(thread, free, -thread)
    if (state === free || state === -thread) break
    change(thread, thread, awaited(thread))
    await delay(1)
  }
  await worker.terminate()
  change(thread, -thread, free)
}
