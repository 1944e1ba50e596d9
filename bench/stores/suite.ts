import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { type Server, settled, startBuild } from '../speed/build.js'
import { type Calls, measureCalls } from '../speed/calls.js'
import { here, type Kind, measureInTurns, notes, questions } from '../speed/suite.js'
import { fillByImport } from '../speed/transfer.js'

/** A kind of call on both stores. */
export interface StoreFigure {
  rows: number
  what: string
  sqliteMs: number
  postgresMs: number
  sqlitePerSecond: number
  postgresPerSecond: number
}

/** A daemon that is compared. */
export interface Side {
  name: string
  server: Server
  remove(): void
}

const script = join(import.meta.dirname, '..', '..', '.ci', 'postgres')
const calls = 150
const warmingCalls = 100

/**
 * Measures the same calls of two daemons in turns: one with its memories in a file, one with them on a
 * PostgreSQL server of this machine that waits for the disk as well.
 */
export async function runStoresSuite({
  sizes = [10_000, 100_000],
}: {
  sizes?: readonly number[] | undefined
} = {}): Promise<StoreFigure[]> {
  return withServer(async postgres => {
    const figures: StoreFigure[] = []
    for (const rows of sizes) figures.push(...(await measureSize(rows, postgres)))
    return figures
  })
}

/** Works with a server of its own, whose commits wait for the disk. */
export async function withServer<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-postgres-'))
  const { stdout } = await execa(script, ['start', folder, 'durable'])
  try {
    return await work(stdout.trim())
  } finally {
    await execa(script, ['stop', folder])
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureSize(rows: number, postgres: string): Promise<StoreFigure[]> {
  const sides = [
    await startSide('sqlite', {}),
    await startSide('postgres', { storage: { postgres, schema: `bench_${rows}` } }),
  ]
  try {
    for (const { server } of sides) {
      await fillByImport(server, rows)
      await settled(server)
      for (const { path, clients, bodies } of kinds)
        await measureCalls(server, path, bodies(-1).slice(0, warmingCalls), clients)
    }
    const measured = await measureInTurns(sides, kinds)
    return kinds.map(({ what }) => ({ rows, what, ...bothOf(measured.filter(one => one.what === what)) }))
  } finally {
    for (const { server, remove } of sides) {
      await server.stop()
      remove()
    }
  }
}

function bothOf([sqlite, postgres]: readonly Pick<Calls, 'p50Ms' | 'perSecond'>[]) {
  if (!sqlite || !postgres) throw new Error('a call was measured on one store only')
  return {
    ...{ sqliteMs: sqlite.p50Ms, postgresMs: postgres.p50Ms },
    ...{ sqlitePerSecond: sqlite.perSecond, postgresPerSecond: postgres.perSecond },
  }
}

/** Starts a daemon without vectors, in a workspace of its own. */
export async function startSide(name: string, storage: object): Promise<Side> {
  const { folder, remove } = temporaryWorkspace({ embedding: { provider: 'none' }, ...storage })
  return { name, server: await startBuild(here, folder), remove }
}

const save = { path: '/api/memory/remember', bodies: (turn: number) => notes(turn, calls) }

const kinds: readonly Kind[] = [
  { what: 'save, 1 writer', clients: 1, ...save },
  { what: 'save, 4 writers', clients: 4, ...save, bodies: turn => notes(turn + 100, calls) },
  { what: 'recall, 1 client', clients: 1, path: '/api/memory/recall', bodies: () => questions(calls) },
  { what: 'session start', clients: 1, path: '/api/hooks/session-start', bodies: sessions },
]

/** Each is another session. */
function sessions(turn: number): object[] {
  return Array.from({ length: calls }, (_, number) => ({
    harness: 'claude-code',
    sessionKey: `session-${turn}-${number}`,
    project: '/work/harbour',
  }))
}

export function formatStoresSuite(figures: readonly StoreFigure[]): string {
  const lines = figures.map(
    ({ rows, what, sqliteMs, postgresMs, sqlitePerSecond, postgresPerSecond }) =>
      `| ${rows.toLocaleString('en')} | ${what} | ${sqliteMs.toFixed(2)} | ${postgresMs.toFixed(2)} | ${(postgresMs / sqliteMs).toFixed(2)} | ${sqlitePerSecond.toFixed(0)} | ${postgresPerSecond.toFixed(0)} |`,
  )
  return [
    '| memories | call | SQLite, p50 ms | PostgreSQL, p50 ms | times | SQLite, a second | PostgreSQL, a second |',
    '|--:|---|--:|--:|--:|--:|--:|',
    ...lines,
  ].join('\n')
}
