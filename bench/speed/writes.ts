import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
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
  /** Written to the log for each save. */
  kb: number
  pages: number
  trees: number
  statements: number
  /** Pages that each b-tree contributes to a save, the first one the most. */
  pagesOf: readonly (readonly [tree: string, pages: number])[]
}

const savesMeasured = 120
const pageBytes = 2048
const lookMs = 2
const fillers = 64
const projects = 20

export interface WritesOptions {
  rows?: number | undefined
  /** The packaged model that makes vectors: of words in each save, or of sentences in the background. */
  vectors?: 'words' | 'sentences' | undefined
}

/** Measures saves of some 100 bytes with their vectors, by one writer and by several at once. */
export async function runWritesSuite({ rows = 10_000, vectors }: WritesOptions = {}): Promise<WriteFigure[]> {
  const statements = countStatements()
  return withDaemonHere(
    async (daemon, { database }) => {
      const figures: WriteFigure[] = []
      await saveAll(daemon, notes(0, rows), fillers)
      for (const writers of [1, 4, 16]) {
        const log = new WrittenLog(`${database}-wal`)
        const before = statements()
        await saveAll(daemon, notes(rows * (writers + 1), savesMeasured), writers)
        const run = statements() - before
        figures.push({ rows, writers, statements: run / savesMeasured, ...written(log.end(), database) })
      }
      return figures
    },
    withModel(vectors === 'sentences' ? 'local' : 'static'),
  )
}

type LogFigures = Omit<WriteFigure, 'rows' | 'writers' | 'statements'>

function written(pages: readonly number[], database: string): LogFigures {
  const names = treesOf(database)
  const counts = new Map<string, number>()
  for (const page of pages) {
    const name = names.get(page) ?? 'of the file'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return {
    kb: (pages.length * pageBytes) / 1000 / savesMeasured,
    pages: pages.length / savesMeasured,
    trees: counts.size,
    pagesOf: [...counts]
      .map(([tree, count]) => [tree, count / savesMeasured] as const)
      .sort(([, one], [, other]) => other - one),
  }
}

function withModel(provider: 'static' | 'local') {
  return ({ settings }: WorkspacePaths): void =>
    writeFileSync(settings, `embedding:\n  provider: ${provider}\nbackup:\n  enabled: false\n`)
}

const pauseMs = 100

async function allHaveVectors({ store, embedder }: Daemon): Promise<void> {
  while ((await store.tables.vectors.countMissing(embedder().status())) > 0) await delay(pauseMs)
  // Jobs that are done are marked after their vectors.
  await delay(pauseMs)
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

/** Returns once all have vectors. */
async function saveAll(daemon: Daemon, saves: readonly Note[], writers: number): Promise<void> {
  let next = 0
  const write = async (): Promise<void> => {
    for (let body = saves[next++]; body; body = saves[next++]) await remember(daemon, benchCaller, body)
  }
  await Promise.all(Array.from({ length: writers }, write))
  await allHaveVectors(daemon)
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
const frameBytes = frameHeaderBytes + pageBytes

/** The write-ahead log of a database, as its file format has it. */
class WrittenLog {
  readonly #pages: number[] = []
  readonly #descriptor: number
  readonly #looking: NodeJS.Timeout
  #salts: Buffer
  #at = headerBytes

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r')
    this.#salts = this.#read(16, 8)
    this.#look()
    this.#pages.length = 0
    // A log that was copied begins again.
    this.#looking = setInterval(() => this.#look(), lookMs)
  }

  /** The numbers of the pages that were written since. */
  end(): readonly number[] {
    clearInterval(this.#looking)
    this.#look()
    closeSync(this.#descriptor)
    return this.#pages
  }

  #look(): void {
    const salts = this.#read(16, 8)
    if (!salts.equals(this.#salts)) {
      this.#salts = salts
      this.#at = headerBytes
    }
    for (;;) {
      const frame = this.#read(this.#at, frameHeaderBytes)
      const page = frame.readUInt32BE(0)
      if (page === 0 || !frame.subarray(8, 16).equals(this.#salts)) return
      this.#pages.push(page)
      this.#at += frameBytes
    }
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    readSync(this.#descriptor, bytes, 0, length, at)
    return bytes
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
