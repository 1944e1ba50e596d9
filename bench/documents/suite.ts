import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eachAtOnce } from '../../src/lib/concurrency/one-at-a-time.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type Load, type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { SyntheticMemories } from '../index/synthetic.js'
import {
  filledDaemon,
  formatRecallInTurns,
  indexReady,
  type RecallInTurns,
  recallInTurns,
} from '../recall/in-turns.js'

export interface IngestFigure {
  system: string
  seconds: number
  filesPerSecond: number
  megabytesPerSecond: number
}

export interface DocumentsSuiteResult {
  files: number
  /** One-minute load average before and after. */
  load: [number, number]
  readings: IngestFigure[]
  daemon: Load
  chunks: number
  resync: { files: number; firstSeconds: number; againMs: number } | undefined
  recall: RecallInTurns | undefined
}

const fileBytes = 10 * 1024
/** The same number as `memory documents add`. */
const handedOverAtOnce = 8

/**
 * Measures adding Markdown files until they are searchable, next to a loop that inserts each whole file into
 * FTS5. Also measures a sync of an unchanged folder, and a recall with as many document chunks as memories.
 * @param resync files of the folder that is synchronised twice; 0 skips it
 * @param rows memories for the recall, and as many chunks; 0 skips it
 */
export async function runDocumentsSuite({
  files = 1000,
  resync = 10_000,
  rows = 100_000,
}: {
  files?: number
  resync?: number
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
    const synced = resync > 0 ? await measureResync(resync) : undefined
    const recall = rows > 0 ? await recallBeside(rows) : undefined
    const loads: [number, number] = [before, loadavg()[0] as number]
    return { files, load: loads, readings, daemon: load, chunks, resync: synced, recall }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Compares memories with as many document chunks beside them against the same memories alone. */
async function recallBeside(rows: number): Promise<RecallInTurns> {
  const both = await filledDaemon({ rows: 2 * rows, add: folder => toChunks(folder, rows) })
  const alone = await filledDaemon({ rows })
  return recallInTurns(rows, { both, alone })
}

/** Writes files with sections of two paragraphs, whose words follow Zipf's law. */
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

/** From the first request until the last file is done and recall finds it. */
async function addAll(folder: string): Promise<{ seconds: number; chunks: number; load: Load }> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  await indexReady(daemon, 0)
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
  await allRead(daemon, names.length)
  const seconds = (performance.now() - started) / 1000
  const load = await daemon.load()
  await daemon.stop()
  const raw = new BetterSqlite(workspacePaths(workspace.folder).database, { readonly: true })
  const chunks = raw.prepare('SELECT count(*) FROM document_chunks').pluck().get() as number
  raw.close()
  workspace.remove()
  return { seconds, chunks, load }
}

/** One row and one durable commit for each file. */
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

/** Turns the rows after the memories into document chunks, twenty for each document. */
function toChunks(folder: string, memoryRows: number): void {
  const raw = new BetterSqlite(workspacePaths(folder).database)
  raw
    .prepare(
      `UPDATE memories SET type = 'document_chunk', source_type = 'document', source_id = 'document ' || (rowid / 20)
       WHERE rowid > ?`,
    )
    .run(memoryRows)
  // Without any document chunk a recall would run one search instead of two.
  raw.exec(`INSERT INTO documents (id, agent_id, source_type, status, created_by, created_at, updated_at)
      SELECT DISTINCT source_id, 'default', 'text', 'done', 'bench', '2026', '2026' FROM memories
      WHERE type = 'document_chunk';
    INSERT INTO document_chunks (document_id, generation, chunk_index, memory_id)
      SELECT source_id, 0, rowid, id FROM memories WHERE type = 'document_chunk'`)
  raw.close()
}

/** Measures a sync of a folder of small files in which nothing changed. */
async function measureResync(
  files: number,
): Promise<{ files: number; firstSeconds: number; againMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-files-'))
  const old = new Date(Date.now() - 60_000)
  for (let file = 0; file < files; file++) {
    const path = join(folder, `note-${file}.md`)
    writeFileSync(path, `# Note ${file}\n\nThe crane ${file} lifts.\n`)
    // The next sync rereads files changed a moment ago, so the files are dated back.
    utimesSync(path, old, old)
  }
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    const settings = { rootPath: folder }
    const { id } = (await daemon.ask('POST', '/api/connectors', { provider: 'filesystem', settings })).body
    const firstSeconds = (await synced(daemon, id)) / 1000
    await allRead(daemon, files)
    const againMs = await synced(daemon, id)
    return { files, firstSeconds, againMs }
  } finally {
    await daemon.stop()
    workspace.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns milliseconds from the request until the connector is idle again */
async function synced(daemon: MeasuredDaemon, id: string): Promise<number> {
  const started = performance.now()
  await daemon.ask('POST', `/api/connectors/${id}/sync`, {})
  for (;;) {
    const { status, last_error } = (await daemon.ask('GET', `/api/connectors/${id}`)).body
    if (status === 'idle') return performance.now() - started
    if (status === 'error') throw new Error(last_error)
    await delay(5)
  }
}

async function allRead(daemon: MeasuredDaemon, files: number): Promise<void> {
  while ((await daemon.ask('GET', '/api/documents?status=done&limit=1')).body.total < files) await delay(20)
}

export function formatDocumentsSuite({
  files,
  load,
  readings,
  daemon,
  chunks,
  resync,
  recall,
}: DocumentsSuiteResult): string {
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
    `${chunks.toLocaleString('en')} chunks; the daemon used ${(daemon.cpuMs / 1000).toFixed(1)} s of processor; its event loop delay was ${daemon.loopP99Ms.toFixed(0)} ms (p99) and ${daemon.loopMaxMs.toFixed(0)} ms at most.`,
    ...(resync
      ? [
          '',
          `A sync of ${resync.files.toLocaleString('en')} small files: ${resync.firstSeconds.toFixed(1)} s until all are submitted, ${resync.againMs.toFixed(0)} ms when nothing has changed.`,
        ]
      : []),
    ...(recall ? ['', formatRecallInTurns('as many chunks', recall)] : []),
  ].join('\n')
}
