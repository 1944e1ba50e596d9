import type { Worker } from 'node:worker_threads'
import { endThread, freeSlotAtExit } from '../../../lib/threads/run-protected.js'

interface PreparedThread {
  worker: Worker
  /** Path of the snapshot the thread reads. */
  snapshot: string
  hasEnded: boolean
}

/** Where `bin/begin-index-thread.js` stores the thread it starts before this program is loaded. */
const place = Symbol.for('memory-service.begun-index-thread')
const held = globalThis as { [place]?: PreparedThread | undefined }

/** Returns the prepared thread if it reads this snapshot; the thread waits for `begin`. */
export function takePreparedThread(snapshot: string): Worker | undefined {
  const begun = held[place]
  if (begun?.snapshot !== snapshot || begun.hasEnded) return undefined
  held[place] = undefined
  return freeSlotAtExit(begun.worker)
}

/** Ends an unused prepared thread. */
export function dropPreparedThread(): void {
  const begun = held[place]
  if (begun) void endThread(begun.worker)
  held[place] = undefined
}
