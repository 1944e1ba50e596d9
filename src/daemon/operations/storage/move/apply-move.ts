import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../../../../contract/ground/errors.js'
import type { MoveNote } from '../../../../contract/operations/storage.js'
import { messageOf } from '../../../../lib/text/message-of.js'
import { isUnavailable } from '../../../../store/faults.js'
import type { Store } from '../../../../store/store.js'
import {
  type CopiedTable,
  createDigest,
  type RowsDigest,
} from '../../../../store/tables/operations/copies.js'
import type { SettingsWatch } from '../../../ground/settings/settings-in-force.js'
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

/** Rows of one transaction: some 20 ms, so that no other work waits long for its turn. */
const rowsTogether = 250

interface CopyProgress {
  step: 'copying' | 'comparing'
  table: string
  /** Rows of all tables, each counted once for a copy and once for its comparison. */
  done: number
  total: number
}

export interface CopyOptions {
  from: Store
  to: Store
  /** Called after each batch; what it throws ends the copy, which can go on later. */
  onProgress(progress: CopyProgress): void
}

interface CopyResult {
  tables: number
  rows: number
  withNul: number
}

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

/** Thrown when the two stores differ after a copy. */
export class StoresDiffer extends Error {
  override name = 'StoresDiffer'
}

/**
 * Copies every table of a store into another one, and compares the counts and digests of each afterwards. A
 * copy that was interrupted goes on after the last row that arrived.
 * @throws StoresDiffer
 */
async function copyStore(options: CopyOptions): Promise<CopyResult> {
  const { from, to } = options
  const tables = await from.tables.copies.tables()
  await requireSameTables(tables, to)
  const counts = new Map<string, number>()
  for (const table of tables) counts.set(table.name, await from.tables.copies.count(table))
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const progress: CopyProgress = { step: 'copying', table: '', done: 0, total: 2 * rows }
  const tell = (more: Partial<CopyProgress>): void => {
    Object.assign(progress, more)
    options.onProgress({ ...progress })
  }
  for (const table of tables) {
    tell({ table: table.name })
    await copyTable(options, table, more => tell({ done: progress.done + more }))
  }
  await to.sync()
  let withNul = 0
  for (const table of tables) {
    tell({ step: 'comparing', table: table.name })
    withNul += await compareTable(options, table, more => tell({ done: progress.done + more }))
  }
  return { tables: tables.length, rows, withNul }
}

async function requireSameTables(tables: readonly CopiedTable[], to: Store): Promise<void> {
  const shapeOf = (some: readonly CopiedTable[]): string =>
    some
      .map(({ name, columns }) => `${name} (${[...columns].sort().join()})`)
      .sort()
      .join('\n')
  if (shapeOf(tables) !== shapeOf(await to.tables.copies.tables()))
    throw new StoresDiffer('the two stores have different tables; update memory-service and try again')
}

async function copyTable(
  { from, to }: CopyOptions,
  table: CopiedTable,
  onRows: (count: number) => void,
): Promise<void> {
  await to.transaction(({ copies }) => copies.empty(table))
  let after = await to.tables.copies.last(table)
  // Rows of an earlier try.
  if (after) onRows(await to.tables.copies.count(table))
  for (;;) {
    const rows = await from.tables.copies.page(table, after, rowsTogether)
    if (rows.length === 0) break
    await to.write({ until: 'committed', rows: rows.length }, ({ copies }) => copies.insert(table, rows))
    after = rows.at(-1)
    onRows(rows.length)
  }
  const counter = await from.tables.copies.counter(table)
  if (counter !== null) await to.transaction(({ copies }) => copies.setCounter(table, counter))
}

/** @returns the number of texts with a NUL. */
async function compareTable(
  { from, to }: CopyOptions,
  table: CopiedTable,
  onRows: (count: number) => void,
): Promise<number> {
  const sent = await digestOf(from, table, onRows)
  const arrived = await digestOf(to, table)
  if (sent.rows !== arrived.rows)
    throw new StoresDiffer(`${table.name}: ${sent.rows} rows were read, ${arrived.rows} arrived`)
  if (sent.digest !== arrived.digest)
    throw new StoresDiffer(`${table.name}: its ${sent.rows} rows differ from those that arrived`)
  return sent.withNul
}

async function digestOf(
  { tables: { copies } }: Store,
  table: CopiedTable,
  onRows?: (count: number) => void,
): Promise<RowsDigest> {
  const digest = createDigest()
  let after: Awaited<ReturnType<typeof copies.last>>
  for (;;) {
    const rows = await copies.page(table, after, rowsTogether)
    if (rows.length === 0) return digest.result()
    digest.add(rows)
    after = rows.at(-1)
    onRows?.(rows.length)
  }
}
