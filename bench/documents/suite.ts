import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { eachAtOnce } from '../../src/lib/each-at-once.js'
import { workspacePaths } from '../../src/lib/paths.js'
import { type Load, type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { SyntheticMemories } from '../index/synthetic.js'

export interface Reading {
  system: string
  seconds: number
  filesPerSecond: number
  megabytesPerSecond: number
}

export interface DocumentsSuiteResult {
  files: number
  /** Processes that wanted the processor, mean of a minute, before and after. */
  load: [number, number]
  readings: Reading[]
  daemon: Load
  chunks: number
  recall: { rows: number; p50Ms: number; p95Ms: number; aloneP50Ms: number; aloneP95Ms: number }
}

const fileBytes = 10 * 1024
/** As `memory documents add`. */
const handedOverAtOnce = 8
const turns = 150
const warmUps = 20

/**
 * What it takes from adding Markdown files until they are found, next to a loop that reads them and puts each into FTS5
 * whole; and what chunks of documents beside as many memories cost a recall.
 *
 * @param rows memories of the recall, and as many chunks beside them
 */
export async function runDocumentsSuite({
  files = 1000,
  rows = 100_000,
}: {
  files?: number
  rows?: number
} = {}): Promise<DocumentsSuiteResult> {
  const before = loadavg()[0] as number
  const folder = writeFiles(files)
  try {
    const { seconds, chunks, load } = await addAll(folder)
    const readings = [
      { system: 'read and insert into FTS5', seconds: plainLoop(folder) },
      { system: 'memory-service', seconds },
    ].map(reading => ({
      ...reading,
      filesPerSecond: files / reading.seconds,
      megabytesPerSecond: (files * fileBytes) / 1e6 / reading.seconds,
    }))
    const recall = await recallInTurns(rows)
    return { files, load: [before, loadavg()[0] as number], readings, daemon: load, chunks, recall }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Sections of two paragraphs, whose words follow Zipf's law. */
function writeFiles(files: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-files-'))
  const words = new SyntheticMemories(5, 8)
  for (let file = 0; file < files; file++) {
    let text = `# Page ${file} ${words.query()}\n`
    while (text.length < fileBytes) {
      text += `\n## ${words.query()}\n`
      for (let paragraph = 0; paragraph < 2; paragraph++)
        text += `\n${Array.from({ length: 5 }, () => `${words.query()}.`).join(' ')}\n`
    }
    writeFileSync(join(folder, `page-${file}.md`), text.slice(0, fileBytes))
  }
  return folder
}

/** From the first request until the last file is done: then recall finds it. */
async function addAll(folder: string): Promise<{ seconds: number; chunks: number; load: Load }> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  await ready(daemon)
  await daemon.load()
  const names = readdirSync(folder)
  const started = performance.now()
  await eachAtOnce(names, handedOverAtOnce, async name => {
    const { status } = await daemon.ask('POST', '/api/documents', {
      source_type: 'file',
      url: join(folder, name),
    })
    if (status !== 201) throw new Error(`answered ${status}`)
  })
  while ((await daemon.ask('GET', '/api/documents?status=done&limit=1')).body.total < names.length)
    await delay(20)
  const seconds = (performance.now() - started) / 1000
  const load = await daemon.load()
  await daemon.stop()
  const raw = new BetterSqlite(workspacePaths(workspace.folder).database, { readonly: true })
  const chunks = raw.prepare('SELECT count(*) FROM document_chunks').pluck().get() as number
  raw.close()
  workspace.remove()
  return { seconds, chunks, load }
}

/** A file, a row, a commit that is on the disk. */
function plainLoop(folder: string): number {
  const target = mkdtempSync(join(tmpdir(), 'memory-bench-fts-'))
  const raw = new BetterSqlite(join(target, 'plain.db'))
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  raw.exec("CREATE VIRTUAL TABLE pages USING fts5(name, text, tokenize = 'porter')")
  const insert = raw.prepare('INSERT INTO pages VALUES (?, ?)')
  const started = performance.now()
  for (const name of readdirSync(folder)) insert.run(name, readFileSync(join(folder, name), 'utf8'))
  const seconds = (performance.now() - started) / 1000
  raw.close()
  rmSync(target, { recursive: true, force: true })
  return seconds
}

/** The same questions to memories with as many chunks beside them, and to these memories alone. */
async function recallInTurns(rows: number): Promise<DocumentsSuiteResult['recall']> {
  const [both, alone] = [await filled(2 * rows, rows), await filled(rows, rows)]
  const queries = Array.from({ length: turns + warmUps }, () => alone.memories.query())
  const times: [number[], number[]] = [[], []]
  for (const [turn, query] of queries.entries())
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { daemon } = [both, alone][which] as typeof both
      const { status, ms } = await daemon.ask('POST', '/api/memory/recall', { query })
      if (status !== 200) throw new Error(`answered ${status}`)
      if (turn >= warmUps) times[which].push(ms)
    }
  for (const { close } of [both, alone]) await close()
  return {
    rows,
    p50Ms: percentile(times[0], 0.5),
    p95Ms: percentile(times[0], 0.95),
    aloneP50Ms: percentile(times[1], 0.5),
    aloneP95Ms: percentile(times[1], 0.95),
  }
}

/** A daemon with so many rows, those behind the memories chunks of documents of twenty. */
async function filled(rows: number, memoryRows: number) {
  const workspace = temporaryWorkspace()
  const memories = await fillWorkspace(workspace.folder, rows)
  const raw = new BetterSqlite(workspacePaths(workspace.folder).database)
  raw
    .prepare(
      `UPDATE memories SET type = 'document_chunk', source_type = 'document', source_id = 'document ' || (rowid / 20)
       WHERE rowid > ?`,
    )
    .run(memoryRows)
  // Without a chunk of a document there would be one search for both.
  raw.exec(`INSERT INTO documents (id, agent_id, source_type, status, created_by, created_at, updated_at)
      SELECT DISTINCT source_id, 'default', 'text', 'done', 'bench', '2026', '2026' FROM memories
      WHERE type = 'document_chunk';
    INSERT INTO document_chunks (document_id, generation, chunk_index, memory_id)
      SELECT source_id, 0, rowid, id FROM memories WHERE type = 'document_chunk'`)
  raw.close()
  const daemon = await startMeasuredDaemon(workspace.folder)
  await ready(daemon)
  const close = async (): Promise<void> => {
    await daemon.stop()
    workspace.remove()
  }
  return { daemon, memories, close }
}

async function ready(daemon: MeasuredDaemon): Promise<void> {
  while ((await daemon.ask('GET', '/api/status')).body.index.state !== 'ready') await delay(50)
}

export function formatDocumentsSuite({
  files,
  load,
  readings,
  daemon,
  chunks,
  recall,
}: DocumentsSuiteResult): string {
  const { rows, p50Ms, p95Ms, aloneP50Ms, aloneP95Ms } = recall
  const plain = readings[0]?.seconds ?? Number.NaN
  return [
    `Load ${load.map(one => one.toFixed(1)).join(' to ')}.`,
    '',
    `| ${files.toLocaleString('en')} files of 10 KiB | s | files/s | MB/s | ratio |`,
    '|---|--:|--:|--:|--:|',
    ...readings.map(
      ({ system, seconds, filesPerSecond, megabytesPerSecond }) =>
        `| ${system} | ${seconds.toFixed(1)} | ${filesPerSecond.toFixed(1)} | ${megabytesPerSecond.toFixed(2)} | ${(seconds / plain).toFixed(1)} |`,
    ),
    '',
    `${chunks.toLocaleString('en')} chunks; the daemon used ${(daemon.cpuMs / 1000).toFixed(1)} s of processor, its loop was late by ${daemon.loopP99Ms.toFixed(0)} ms (p99) and ${daemon.loopMaxMs.toFixed(0)} ms at most.`,
    '',
    `| recall, ${rows.toLocaleString('en')} memories | p50 | p95 |`,
    '|---|--:|--:|',
    `| with as many chunks | ${p50Ms.toFixed(1)} ms | ${p95Ms.toFixed(1)} ms |`,
    `| alone | ${aloneP50Ms.toFixed(1)} ms | ${aloneP95Ms.toFixed(1)} ms |`,
    `| ratio | ${(p50Ms / aloneP50Ms).toFixed(2)} | ${(p95Ms / aloneP95Ms).toFixed(2)} |`,
  ].join('\n')
}
