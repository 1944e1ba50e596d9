import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../../../../contract/ground/errors.js'
import type { MoveNote } from '../../../../contract/operations/storage.js'
import { messageOf } from '../../../../lib/text/message-of.js'
import { isUnavailable } from '../../../../store/faults.js'
import type { Store } from '../../../../store/store.js'
import type { SettingsWatch } from '../../../ground/settings/settings-in-force.js'
import { type CopyProgress, type CopyResult, copyStore } from './copy-tables.js'
import { isCancelled, isUnfinished, readMove, removeCancel, writeMove } from './move-note.js'
import {
  type MoveDeps,
  openIncoming,
  openSource,
  placeIncoming,
  removeIncoming,
  setOldAside,
} from './moved-stores.js'

export interface ApplyMoveDeps extends MoveDeps {
  settings: Pick<SettingsWatch, 'change'>
  log: Logger
  /** Aborted when the daemon stops; the next start goes on. */
  signal: AbortSignal
  /** Told the answer of requests meanwhile. */
  onUnavailable(answer: AppError): void
}

const tryAgainMs = 2000
const noteEveryMs = 1000

class Cancelled extends Error {}

/**
 * Moves all memories to another store, before the daemon opens either. Both stores are its own: no other
 * daemon and no request changes them. Until all rows are compared the new store has another name; then it
 * gets its own, the settings name it, and the old one is set aside. After a kill the next start goes on.
 * A move that fails or is cancelled leaves the old store and the settings as they were.
 * @throws AppError `starting` when the daemon stops
 */
export async function applyMove(deps: ApplyMoveDeps): Promise<void> {
  for (;;) {
    const note = readMove(deps.paths)
    if (!note || !isUnfinished(note)) return
    try {
      return await (note.phase === 'copying' ? copyAndPlace(deps, note) : place(deps, note))
    } catch (error) {
      if (deps.signal.aborted) throw new AppError('starting', 'the daemon is stopping')
      if (!isUnavailable(error) && note.phase === 'copying' && !isPlacing(deps))
        return giveUp(deps, note, error)
      deps.log.warn({ err: error }, 'move of the memories interrupted; trying again')
      deps.onUnavailable(waiting(`${messageOf(error)}; trying again`))
      await delay(tryAgainMs, undefined, { signal: deps.signal }).catch(() => undefined)
    }
  }
}

const isPlacing = ({ paths }: ApplyMoveDeps): boolean => readMove(paths)?.phase === 'placing'

function waiting(how: string): AppError {
  return new AppError('starting', `the memories are being moved to another store: ${how}`)
}

async function copyAndPlace(deps: ApplyMoveDeps, note: MoveNote): Promise<void> {
  const opened: Store[] = []
  let result: CopyResult
  try {
    stopIfAsked(deps)
    const from = await openSource(deps, note)
    opened.push(from)
    const to = await openIncoming(deps, note)
    opened.push(to)
    result = await copyStore({ from, to, onProgress: createReport(deps, note) })
  } finally {
    for (const store of opened) await store.close()
  }
  const copied: MoveNote = { ...readNow(deps, note), ...result, phase: 'placing' }
  writeMove(deps.paths, copied)
  await place(deps, copied)
}

const readNow = ({ paths }: ApplyMoveDeps, note: MoveNote): MoveNote => readMove(paths) ?? note

/** Tells requests how far it is at once, and the note now and then. */
function createReport(deps: ApplyMoveDeps, note: MoveNote): (progress: CopyProgress) => void {
  let notedAt = 0
  return progress => {
    stopIfAsked(deps)
    const percent = progress.total === 0 ? 100 : Math.floor((100 * progress.done) / progress.total)
    deps.onUnavailable(waiting(`${progress.step} ${progress.table}, ${percent} %`))
    if (performance.now() - notedAt < noteEveryMs) return
    notedAt = performance.now()
    writeMove(deps.paths, { ...note, progress })
  }
}

/** @throws Cancelled; AppError `starting` when the daemon stops */
function stopIfAsked({ paths, signal }: ApplyMoveDeps): void {
  if (signal.aborted) throw new AppError('starting', 'the daemon is stopping')
  if (isCancelled(paths)) throw new Cancelled('cancelled; nothing was changed')
}

/** Each step may be done again after a kill. */
async function place(deps: ApplyMoveDeps, note: MoveNote): Promise<void> {
  const { to } = note
  const isFromFile = note.from.postgres === undefined
  await placeIncoming(deps, note)
  await deps.settings.change(
    to.postgres === undefined
      ? { storage: null }
      : { 'storage.postgres': to.postgres, 'storage.schema': to.schema },
  )
  const old = await setOldAside(deps, note).catch(error => {
    if (isFromFile || isUnavailable(error)) throw error
    // A role that may not rename its schema leaves it under its name.
    deps.log.warn({ err: error }, 'the old schema of a move keeps its name')
    return note.from
  })
  await removeCancel(deps.paths)
  writeMove(deps.paths, { ...note, phase: 'moved', endedAt: deps.clock().toISOString(), old })
  deps.log.info({ id: note.id, rows: note.rows }, 'memories moved to another store')
}

/** Keeps the old store, and removes what had arrived in the new one. */
async function giveUp(deps: ApplyMoveDeps, note: MoveNote, error: unknown): Promise<void> {
  const phase = error instanceof Cancelled ? 'cancelled' : 'failed'
  deps.log.warn({ err: error, id: note.id }, `move of the memories ${phase}`)
  await removeIncoming(deps, note).catch(problem =>
    deps.log.warn({ err: problem }, 'the incomplete store of a move was not removed'),
  )
  await removeCancel(deps.paths)
  writeMove(deps.paths, {
    ...readNow(deps, note),
    ...{ phase, endedAt: deps.clock().toISOString(), problem: messageOf(error) },
  })
}
