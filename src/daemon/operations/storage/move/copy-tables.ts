import type { Store } from '../../../../store/store.js'
import {
  type CopiedTable,
  createDigest,
  type RowsDigest,
} from '../../../../store/tables/operations/copies.js'

/** Rows of one transaction: some 20 ms, so that no other work waits long for its turn. */
const rowsTogether = 250

export interface CopyProgress {
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

export interface CopyResult {
  tables: number
  rows: number
  withNul: number
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
export async function copyStore(options: CopyOptions): Promise<CopyResult> {
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
