import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { messageOf } from '../../../lib/text/message-of.js'
import type { Timers } from '../../../lib/time/timers.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'
import { conversionOf, maxAttempts, noteConversion } from './conversion.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'log' | 'budget' | 'integrity'>

/** A conversion waits for a pause of writes of this length for each MiB of the file, and of `longestQuietMs` at most. */
const quietMsPerMebibyte = 20
const longestQuietMs = 20_000
/** One look waits so long for such a pause. */
const patienceMs = 55_000
const mebibyte = 1024 * 1024
/** Pages that hold nothing are given back when they are more than this part of the file, and more than so many. */
const freeShare = 0.1
const fewPages = 2048
/** Pages that are given back in one go: about 2 ms. */
const sliceOfPages = 64

/**
 * Converts a database of an older release while nobody writes, and gives the room of what is gone back to the disk
 * (operations.md 6.3).
 */
export function createConversionWorker(deps: Deps, timers?: Timers): Worker {
  const { store, integrity, log } = deps
  const work = createPeriodicWork({
    run: async signal => {
      // A file that is damaged, or that another process can't open, is left as it is.
      if (!store.file.othersCanOpen() || integrity.problems().length > 0) return
      const { state } = await conversionOf(deps)
      if (state === 'pending') await convertWhenQuiet(deps, signal)
      await giveRoomBack(deps, signal)
    },
    onError: error => log.warn({ err: error }, 'the database was not converted'),
    timers,
  })
  return { ...work, busy: () => false }
}

/** Tries until it is done or failed, after a longer pause of writes each time that it gave way. */
async function convertWhenQuiet(deps: Deps, signal: AbortSignal): Promise<void> {
  const { store } = deps
  const { count, bytes } = store.file.pages()
  const size = count * bytes
  const needed = await missingRoom(deps, size)
  if (needed !== undefined) {
    if ((await conversionOf(deps)).lastError !== needed) await noteConversion(deps, { lastError: needed })
    return
  }
  const until = performance.now() + patienceMs
  let quietMs = Math.min(longestQuietMs, (size / mebibyte) * quietMsPerMebibyte)
  while (await becomesQuiet(store, { quietMs, until, signal })) {
    if ((await convert(deps, size, signal)) !== 'gave_way') return
    quietMs = Math.min(longestQuietMs, quietMs * 2)
  }
}

async function convert(deps: Deps, bytes: number, signal: AbortSignal): Promise<'gave_way' | 'ended'> {
  const { store, log, clock } = deps
  const at = (): string => clock().toISOString()
  const { attempts } = await noteConversion(deps, { state: 'running', startedAt: at() })
  try {
    const end = await store.file.convert(signal)
    // A write may have come in the very moment in which it was done.
    const isDone = end === 'converted' || store.file.pages().canShrink
    const done = { state: 'completed', completedAt: at(), lastError: null } as const
    await noteConversion(deps, isDone ? done : { state: 'pending' })
    if (!isDone) return 'gave_way'
    log.info({ bytes }, 'database converted')
  } catch (error) {
    const failures = attempts + 1
    const lastError = messageOf(error)
    const state = failures >= maxAttempts ? 'failed' : 'pending'
    await noteConversion(deps, { state, attempts: failures, lastError })
    log.warn({ err: error, failures }, 'the database was not converted')
  }
  return 'ended'
}

/** What is missing on the disk for a new file and the log that holds it, in words. */
async function missingRoom({ paths }: Deps, size: number): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(dirname(paths.database))
  const needed = 2 * size + 64 * mebibyte
  const free = bavail * bsize
  if (free >= needed) return undefined
  return `it needs ${Math.ceil(needed / mebibyte)} MiB on the disk, ${Math.floor(free / mebibyte)} MiB are free`
}

/** Waits until nobody has written for so long. @returns whether that came. */
async function becomesQuiet(
  store: Deps['store'],
  { quietMs, until, signal }: { quietMs: number; until: number; signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted && performance.now() < until) {
    const left = quietMs - store.file.quietMs()
    if (left <= 0) return true
    await wait(left, undefined, { ref: false, signal }).catch(() => undefined)
  }
  return false
}

async function giveRoomBack({ store, budget }: Deps, signal: AbortSignal): Promise<void> {
  const { canShrink, free, count } = store.file.pages()
  if (!canShrink || free < Math.max(fewPages, count * freeShare)) return
  while (!signal.aborted && store.file.pages().free > 0) {
    await budget.breathe()
    await store.file.giveBack(sliceOfPages)
  }
}
