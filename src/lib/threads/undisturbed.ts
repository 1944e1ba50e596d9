import { setTimeout as delay } from 'node:timers/promises'
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId, Worker } from 'node:worker_threads'

/** Each thread is handed it when it starts; `bin/begin-index-thread.js` starts one before this program is read. */
const name = 'memory-service.undisturbed'
/**
 * One for each thread: its number while it does what it must not be ended in, marked once somebody waits to end it, and
 * minus that while it is being ended.
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

/** How much of it this thread is in the midst of: what waits lets others begin, until somebody waits to end it. */
let begun = 0

/**
 * Does in a thread what it must not be ended in: `endThread` waits for it. A thread that is being ended, which may run on
 * for a while, does not begin. Nobody ends the main thread so.
 */
export function undisturbed<T>(work: () => T): T {
  begin()
  try {
    return work()
  } finally {
    end()
  }
}

/**
 * The same for what waits. Of a thread that somebody waits to end nothing more is begun: it never resolves then. It holds
 * nothing else of its kind.
 */
export async function undisturbedUntilDone<T>(work: () => Promise<T>): Promise<T> {
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
    // In a thread this ends the thread.
    if (state === -threadId) process.exit()
    // Another thread that shares the place.
    Atomics.wait(states, placeOf(threadId), state, 1)
  }
}

function end(): void {
  if (isMainThread || --begun > 0) return
  if (change(threadId, threadId, free) !== threadId) change(threadId, awaited(threadId), -threadId)
}

/** Starts a thread that may do it; one that ends in the midst of it, by itself or for want of memory, keeps no place. */
export function startThread(...given: ConstructorParameters<typeof Worker>): Worker {
  return freeAtEnd(new Worker(...given))
}

/** The same of one that was started elsewhere. */
export function freeAtEnd(worker: Worker): Worker {
  const { threadId: thread } = worker
  worker.once('exit', () => {
    for (const state of [thread, awaited(thread)]) change(thread, state, free)
  })
  return worker
}

/** Ends a thread at once, or as soon as it has done what must not be interrupted. */
export async function endThread(worker: Worker): Promise<void> {
  const { threadId: thread } = worker
  // Of one that has ended it is -1.
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
