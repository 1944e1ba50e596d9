import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { DiagnosticsReport } from '../../src/contract/operations/diagnostics.js'
import { contentHash } from '../../src/daemon/memory/records/normalise-content.js'
import { policyVersion } from '../../src/daemon/safety/verdict-columns.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { packedHash } from '../../src/store/sql/packed.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'

export interface DiagnosticsFigure {
  what: string
  p50Ms: number
  p95Ms: number
  /** Processor time of all threads for one request. */
  cpuMs: number
  /** Longest event loop delay during the requests. */
  loopMaxMs: number
}

export interface DiagnosticsFigures {
  rows: number
  load: number
  surveyMs: number
  /** Planted damage that was found, with its count. */
  found: string[]
  missed: string[]
  figures: DiagnosticsFigure[]
}

/** Findings of the planted damage, and how many rows a report must count for each. */
const planted: Readonly<Record<string, number>> = {
  'damaged-vectors': 10,
  'orphaned-memory-vectors': 10,
  'orphaned-memory-history': 10,
  'changed-contents': 10,
  'miscounted-holders': 10,
  'mismarked-vectors': 10,
}

const routes: readonly (readonly [what: string, path: string])[] = [
  ['full report, from the last survey', '/api/diagnostics'],
  ['one domain (index)', '/api/diagnostics/index'],
  ['workloads', '/api/diagnostics/workloads'],
  ['transcript capture', '/api/diagnostics/transcript-capture'],
  ['content safety, first page', '/api/diagnostics/memory-content-safety'],
  ['content safety, offset 90,000', '/api/diagnostics/memory-content-safety?sourceKind=memory&offset=90000'],
  ['schema explorer', '/api/diagnostics/database/schema'],
  ['table sample', '/api/diagnostics/database/tables/memories/sample'],
  [
    'table sample, offset 90,000',
    '/api/diagnostics/database/tables/memory_vectors/sample?offset=90000&limit=100',
  ],
]

/**
 * Measures each diagnostics route on a workspace of memories with vectors and history, some of them damaged.
 */
export async function runDiagnosticsSuite({ rows = 100_000, runs = 20 } = {}): Promise<DiagnosticsFigures> {
  const provider = await startFakeProvider()
  const { folder, remove } = temporaryWorkspace()
  writeFileSync(join(folder, 'agent.yaml'), stringify(provider.settings))
  try {
    await fillWorkspace(folder, rows)
    makeWhole(workspacePaths(folder).database)
    damage(workspacePaths(folder).database)
    const daemon = await startMeasuredDaemon(folder)
    try {
      return await measureAll(daemon, rows, runs)
    } finally {
      await daemon.stop()
    }
  } finally {
    provider.close()
    remove()
  }
}

async function measureAll(daemon: MeasuredDaemon, rows: number, runs: number): Promise<DiagnosticsFigures> {
  while ((await daemon.ask('GET', '/api/status')).body.index.state !== 'ready') await delay(100)
  // Waits for work that a start leaves for later: snapshots, and vectors that the damage removed.
  await delay(5000)
  const survey = await measured(
    daemon,
    'full report with a survey (refresh=true)',
    3,
    '/api/diagnostics?refresh=true',
  )
  const report = (await daemon.ask('GET', '/api/diagnostics')).body as DiagnosticsReport
  const told = new Map(
    [report.index, report.storage].flatMap(({ findings }) => findings.map(({ id, count }) => [id, count])),
  )
  const figures = [survey]
  for (const [what, path] of routes) figures.push(await measured(daemon, what, runs, path))
  const isFound = ([id, count]: [string, number]): boolean => told.get(id) === count
  const all = Object.entries(planted)
  return {
    rows,
    load: loadavg()[0] ?? 0,
    surveyMs: report.survey?.tookMs ?? 0,
    found: all.filter(isFound).map(([id, count]) => `${id} ${count}`),
    missed: all.filter(one => !isFound(one)).map(([id, count]) => `${id} ${told.get(id)} of ${count}`),
    figures,
  }
}

async function measured(
  daemon: MeasuredDaemon,
  what: string,
  runs: number,
  path: string,
): Promise<DiagnosticsFigure> {
  const before = await daemon.load()
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const { status, ms } = await daemon.ask('GET', path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    times.push(ms)
  }
  const after = await daemon.load()
  return {
    what,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    cpuMs: (after.cpuMs - before.cpuMs) / runs,
    loopMaxMs: after.loopMaxMs,
  }
}

/**
 * Synthetic memories share texts, have no history and carry an old safety verdict. Each gets its own text,
 * hash, event and verdict, so that no background work runs during the measurement.
 */
function makeWhole(file: string): void {
  const database = new BetterSqlite(file)
  const rows = database.prepare('SELECT id, content FROM memories').all() as { id: string; content: string }[]
  const set = database.prepare(
    'UPDATE memories SET content = ?, content_hash = ?, safety_policy = ? WHERE id = ?',
  )
  database.transaction(() => {
    for (const { id, content } of rows) {
      const own = `${content} ${id}`
      set.run(own, packedHash(contentHash(own)), policyVersion, id)
    }
    database.exec(`INSERT INTO memory_history (id, memory_id, event, new_content, changed_by, actor_type, reason,
        created_at, change)
      SELECT unhex(id, '-'), unhex(id, '-'), 'created', content, 'bench', 'operator', 'saved', '${new Date().toISOString()}', change FROM memories`)
  })()
  database.close()
}

function damage(file: string): void {
  const database = new BetterSqlite(file)
  database.pragma('foreign_keys = OFF')
  const some = (from: number): string => `(SELECT id FROM memories ORDER BY id LIMIT 10 OFFSET ${from})`
  database.exec(`
    UPDATE memory_vectors SET vector = x'00' WHERE memory_id IN ${some(0)};
    INSERT INTO memory_vectors (memory_id, provider, model, dimensions, vector, created_at) SELECT 'gone ' || memory_id, provider, model, dimensions, vector, created_at
      FROM memory_vectors WHERE memory_id IN ${some(100)};
    INSERT INTO memory_history SELECT 'gone ' || hex(id), 'gone ' || hex(memory_id), event, old_content, new_content, changed_by,
      actor_type, reason, metadata, session_id, request_id, created_at, change
      FROM memory_history WHERE memory_id IN (SELECT unhex(id, '-') FROM ${some(200)});
    UPDATE memories SET content = content || ' and more' WHERE id IN ${some(300)};
    UPDATE memories SET further_holders = 3 WHERE id IN ${some(400)};
    UPDATE memories SET embedding_model = NULL WHERE id IN ${some(500)}`)
  database.close()
}

export function formatDiagnosticsSuite({
  rows,
  load,
  surveyMs,
  found,
  missed,
  figures,
}: DiagnosticsFigures): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    `${rows} memories with vectors and history, load ${load.toFixed(1)}; the survey took ${Math.round(surveyMs)} ms in its thread`,
    `found: ${found.join(', ') || 'nothing'}${missed.length > 0 ? `; MISSED: ${missed.join(', ')}` : ''}`,
    '',
    line(['route', 'p50 ms', 'p95 ms', 'processor ms', 'longest turn ms']),
    line(['---', '---', '---', '---', '---']),
    ...figures.map(({ what, p50Ms, p95Ms, cpuMs, loopMaxMs }) =>
      line([what, ...[p50Ms, p95Ms, cpuMs, loopMaxMs].map(value => value.toFixed(1))]),
    ),
  ].join('\n')
}
