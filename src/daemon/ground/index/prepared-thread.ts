import type { Worker } from 'node:worker_threads'
import { endThread, freeAtEnd } from '../../../lib/threads/undisturbed.js'

interface Begun {
  worker: Worker
  /** What it reads. */
  snapshot: string
  hasEnded: boolean
}

/** Where `bin/begin-index-thread.js` leaves the thread that it begins before this program is read. */
const place = Symbol.for('memory-service.begun-index-thread')
const held = globalThis as { [place]?: Begun | undefined }

/** A thread that reads this snapshot already, if there is one; it waits for `begin`. */
export function takeBegunThread(snapshot: string): Worker | undefined {
  const begun = held[place]
  if (begun?.snapshot !== snapshot || begun.hasEnded) return undefined
  held[place] = undefined
  return freeAtEnd(begun.worker)
}

/** Ends a thread that nobody took. */
export function dropBegunThread(): void {
  const begun = held[place]
  if (begun) void endThread(begun.worker)
  held[place] = undefined
}
