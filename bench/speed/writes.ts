import { readFileSync, writeFileSync } from 'node:fs'
import { remember } from '../../src/daemon/memory/remember/remember.js'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import type { WorkspacePaths } from '../../src/lib/workspace/paths.js'
import Database from '../../src/store/sqlite/connection/driver.js'
import { benchCaller } from '../caller.js'
import { withDaemonHere } from '../daemon/in-process.js'

/** Figures of a save that do not depend on the load of the machine. */
export interface WriteFigure {
  rows: number
  writers: number
  saves: number
  /** Written to the log for each save. */
  kb: number
  pages: number
  trees: number
  statements: number
  /** Pages that each b-tree contributes to a save, the first one the most. */
  pagesOf: readonly (readonly [tree: string, pages: number])[]
}

const savesMeasured = 120
const fillers = 64
const projects = 20

/** Measures saves of some 100 bytes with the packaged model, by one writer and by several at once. */
export async function runWritesSuite({ rows = 10_000 } = {}): Promise<WriteFigure[]> {
  const statements = countStatements()
  return withDaemonHere(async (daemon, { database }) => {
    const figures: WriteFigure[] = []
    await saveAll(daemon, notes(0, rows), fillers)
    for (const writers of [1, 4, 16]) {
      await daemon.store.file?.forgetDeleted()
      const log = new WrittenLog(`${database}-wal`)
      const before = statements()
      await saveAll(daemon, notes(rows * (writers + 1), savesMeasured), writers)
      const perSave = (count: number): number => count / savesMeasured
      const names = treesOf(database)
      const written = log.frames().map(page => names.get(page) ?? 'of the file')
      const counts = new Map<string, number>()
      for (const name of written) counts.set(name, (counts.get(name) ?? 0) + 1)
      figures.push({
        ...{ rows, writers, saves: savesMeasured },
        kb: perSave(written.length * log.pageBytes) / 1000,
        pages: perSave(written.length),
        trees: new Set(written).size,
        statements: perSave(statements() - before),
        pagesOf: [...counts]
          .map(([tree, pages]) => [tree, perSave(pages)] as const)
          .sort(([, one], [, other]) => other - one),
      })
    }
    return figures
  }, withModel)
}

/** The packaged model makes a vector in each save. */
function withModel({ settings }: WorkspacePaths): void {
  writeFileSync(settings, 'embedding:\n  provider: static\nbackup:\n  enabled: false\n')
}

export function formatWritesSuite(figures: readonly WriteFigure[]): string {
  const lines = figures.map(
    ({ rows, writers, kb, pages, trees, statements }) =>
      `| ${rows} | ${writers} | ${kb.toFixed(1)} | ${pages.toFixed(1)} | ${trees} | ${statements.toFixed(1)} |`,
  )
  const [alone] = figures
  const trees = alone?.pagesOf.map(([tree, pages]) => `| ${tree} | ${pages.toFixed(2)} |`) ?? []
  return [
    '| memories | writers | KB a save | pages | b-trees | statements |',
    '|--:|--:|--:|--:|--:|--:|',
    ...lines,
    '',
    '| b-tree, one writer | pages a save |',
    '|---|--:|',
    ...trees,
  ].join('\n')
}

interface Note {
  content: string
  project: string
}

/** In English words, since the packaged model makes no vector of others. */
function notes(from: number, count: number): Note[] {
  return Array.from({ length: count }, (_, place) => {
    const number = from + place
    return {
      content: `note ${number}: the harbour crane number ${number * 7919} moved ${number % 13} containers to the northern quay`,
      project: `/work/project-${(number * 7) % projects}`,
    }
  })
}

async function saveAll(daemon: Daemon, saves: readonly Note[], writers: number): Promise<void> {
  let next = 0
  const write = async (): Promise<void> => {
    for (let body = saves[next++]; body; body = saves[next++]) await remember(daemon, benchCaller, body)
  }
  await Promise.all(Array.from({ length: writers }, write))
}

/** Counts runs of statements in this process. Call it before a database is opened. */
function countStatements(): () => number {
  let count = 0
  const prepare = Database.prototype.prepare
  Database.prototype.prepare = function (this: InstanceType<typeof Database>, text: string) {
    const statement = prepare.call(this, text)
    for (const method of ['all', 'run'] as const) {
      const original = statement[method] as (...given: unknown[]) => unknown
      Object.assign(statement, {
        [method](this: unknown, ...given: unknown[]) {
          count++
          return original.apply(this, given)
        },
      })
    }
    return statement
  } as typeof prepare
  return () => count
}

const headerBytes = 32
const frameHeaderBytes = 24

/** The write-ahead log of a database, as its file format has it. */
class WrittenLog {
  readonly pageBytes: number
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.pageBytes = 2048
  }

  /** The numbers of the pages that were written since the log was emptied. */
  frames(): number[] {
    const log = readFileSync(this.#file)
    const salts = log.subarray(16, 24)
    const pages: number[] = []
    const step = frameHeaderBytes + this.pageBytes
    for (let at = headerBytes; at + step <= log.length; at += step) {
      if (!log.subarray(at + 8, at + 16).equals(salts)) break
      pages.push(log.readUInt32BE(at))
    }
    return pages
  }
}

/** The b-tree of each page: a table or an index. */
function treesOf(file: string): Map<number, string> {
  const database = new Database(file, { readonly: true })
  try {
    const rows = database.prepare('SELECT pageno, name FROM dbstat').all() as {
      pageno: number
      name: string
    }[]
    return new Map(rows.map(({ pageno, name }) => [pageno, name]))
  } finally {
    database.close()
  }
}
