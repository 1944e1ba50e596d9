import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type VacuumConversion, vacuumConversion } from '../../../contract/operations/pipeline.js'
import { messageOf } from '../../../lib/text/message-of.js'
import type { Timers } from '../../../lib/time/timers.js'
import { type FileStore, hasFile } from '../../../store/store.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { createPeriodicWork } from '../../platform/jobs/periodic-work.js'
import type { Worker } from '../../platform/jobs/worker.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'clock' | 'log' | 'budget' | 'integrity'>
type FileDeps = Deps & { store: FileStore }

/**
 * A conversion waits until nothing was written for this time per MiB of the file, at most `longestQuietMs`.
 */
const quietMsPerMebibyte = 20
const longestQuietMs = 20_000
/** How long one run waits for such a pause. */
const patienceMs = 55_000
const mebibyte = 1024 * 1024
/** Free pages are returned to the disk when they exceed this share of the file and `fewPages`. */
const freeShare = 0.1
const fewPages = 2048
/** Pages returned per step: about 2 ms. */
const sliceOfPages = 64

/** After this many failures the file stays unconverted. */
const maxAttempts = 3

type ConversionDeps = Pick<Daemon, 'store' | 'clock'>

const none = {
  attempts: 0,
  maxAttempts,
  requestedAt: null,
  startedAt: null,
  completedAt: null,
  updatedAt: null,
  lastError: null,
} as const

/**
 * Converts a database of an older release while nothing is written, and returns free pages to the disk
 * (operations.md 6.3).
 */
export function createConversionWorker(deps: Deps, timers?: Timers): Worker {
  const { store, integrity, log } = deps
  const work = createPeriodicWork({
    run: async signal => {
      // A damaged file, or one that no other process can open, is left alone.
      if (!hasFile(store) || !store.file.othersCanOpen() || integrity.problems().length > 0) return
      const { state } = await conversionOf(deps)
      const fileDeps = { ...deps, store }
      if (state === 'pending') await convertWhenQuiet(fileDeps, signal)
      await giveRoomBack(fileDeps, signal)
    },
    onError: error => log.warn({ err: error }, 'database conversion failed'),
    timers,
  })
  return { ...work, busy: () => false }
}

/**
 * Tries until the conversion ends; each time a write interrupts it, the next try waits for a longer pause.
 */
async function convertWhenQuiet(deps: FileDeps, signal: AbortSignal): Promise<void> {
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

async function convert(deps: FileDeps, bytes: number, signal: AbortSignal): Promise<'gave_way' | 'ended'> {
  const { store, log, clock } = deps
  const at = (): string => clock().toISOString()
  const { attempts } = await noteConversion(deps, { state: 'running', startedAt: at() })
  try {
    const end = await store.file.convert(signal)
    // A write may have interrupted the moment in which the conversion was already done.
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
    log.warn({ err: error, failures }, 'database conversion failed')
  }
  return 'ended'
}

/** The space missing for the new file and the log with it, in words; undefined when there is enough. */
async function missingRoom({ paths }: Deps, size: number): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(dirname(paths.database))
  const needed = 2 * size + 64 * mebibyte
  const free = bavail * bsize
  if (free >= needed) return undefined
  return `it needs ${Math.ceil(needed / mebibyte)} MiB on the disk, ${Math.floor(free / mebibyte)} MiB are free`
}

/** Waits until nothing was written for `quietMs`. @returns whether that happened in time. */
async function becomesQuiet(
  store: FileStore,
  { quietMs, until, signal }: { quietMs: number; until: number; signal: AbortSignal },
): Promise<boolean> {
  while (!signal.aborted && performance.now() < until) {
    const left = quietMs - store.file.quietMs()
    if (left <= 0) return true
    await wait(left, undefined, { ref: false, signal }).catch(() => undefined)
  }
  return false
}

async function giveRoomBack({ store, budget }: FileDeps, signal: AbortSignal): Promise<void> {
  const { canShrink, free, count } = store.file.pages()
  if (!canShrink || free < Math.max(fewPages, count * freeShare)) return
  while (!signal.aborted && store.file.pages().free > 0) {
    await budget.breathe()
    await store.file.giveBack(sliceOfPages)
  }
}

/** Status of the database's conversion (operations.md 6.3). */
export async function conversionOf({ store }: Pick<Daemon, 'store'>): Promise<VacuumConversion> {
  const kept = await store.tables.meta.conversion()
  return kept === undefined ? { ...none, state: 'not_required' } : vacuumConversion.parse(JSON.parse(kept))
}

/** Stores a change of the status. @returns the new status. */
async function noteConversion(
  deps: ConversionDeps,
  change: Partial<VacuumConversion>,
): Promise<VacuumConversion> {
  const next = { ...(await conversionOf(deps)), ...change, updatedAt: deps.clock().toISOString() }
  await deps.store.tables.meta.noteConversion(JSON.stringify(next))
  return next
}

/**
 * Runs at start: queues the conversion for a file of an older release and after an interrupted attempt,
 * unless that attempt had already succeeded.
 */
export async function settleConversion(deps: ConversionDeps): Promise<void> {
  const { file } = deps.store
  if (!file) return
  const { state, attempts } = await conversionOf(deps)
  const at = deps.clock().toISOString()
  if (file.pages().canShrink) {
    if (state === 'running' || state === 'pending')
      await noteConversion(deps, { state: 'completed', completedAt: at })
    return
  }
  if (state === 'running')
    await noteConversion(deps, { state: attempts >= maxAttempts ? 'failed' : 'pending' })
  else if (state === 'not_required' || state === 'completed')
    await noteConversion(deps, { ...none, state: 'pending', requestedAt: at })
}
