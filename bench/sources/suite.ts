import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type Load, type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { SyntheticMemories } from '../index/synthetic.js'
import { filledDaemon, formatRecallInTurns, type RecallInTurns, recallInTurns } from '../recall/in-turns.js'

export interface VaultResult {
  name: string
  notes: number
  chunks: number
  /** Notes that were not read. */
  faults: number
  firstSeconds: number
  rescanMs: number
  /** Processor time of all threads, which other load on the machine does not lengthen. */
  rescanCpuMs: number
  changedMs: number
  movedMs: number
  deletedMs: number
  peakRssMb: number
  load: Load
  /** True when reading changed nothing in the vault. */
  isUntouched: boolean
}

export interface SourcesSuiteResult {
  load: [number, number]
  vaults: VaultResult[]
  recall: RecallInTurns | undefined
}

const notesOfFolder = 100

/**
 * Measures a vault's first sync, a sync without changes, and the time until a change is found. Also measures
 * a recall with as many artifact chunks as memories.
 * @param vaults folders of real vaults, which are copied first
 * @param rows memories for the recall, and as many chunks; 0 skips it
 */
export async function runSourcesSuite({
  notes = 10_000,
  rows = 100_000,
  vaults = [],
}: {
  notes?: number
  rows?: number
  vaults?: readonly string[]
} = {}): Promise<SourcesSuiteResult> {
  const before = loadavg()[0] as number
  const made = writeVault(notes)
  const results: VaultResult[] = []
  try {
    for (const folder of [made, ...vaults]) results.push(await measureVault(folder))
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  const recall = rows > 0 ? await recallBeside(rows) : undefined
  return { load: [before, loadavg()[0] as number], vaults: results, recall }
}

/** Writes notes of about a KiB with tags and links to their neighbours. */
function writeVault(notes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-vault-'))
  const words = new SyntheticMemories(7, 8)
  mkdirSync(join(folder, '.obsidian'))
  for (let note = 0; note < notes; note++) {
    const file = join(folder, `folder-${Math.floor(note / notesOfFolder)}`, `note-${note}.md`)
    mkdirSync(dirname(file), { recursive: true })
    let text = `---\ntags: [bench]\n---\n# ${words.query()}\n\nSee [[note-${(note + 1) % notes}]].\n`
    while (text.length < 1000) text += `\n${words.query()}. ${words.query()}.\n`
    writeFileSync(file, text)
  }
  return folder
}

/** Measures a copy, since the changes must not touch the real vault. */
async function measureVault(original: string): Promise<VaultResult> {
  const folder = mkdtempSync(join(tmpdir(), 'memory-bench-copy-'))
  cpSync(original, folder, { recursive: true, preserveTimestamps: true })
  try {
    return { ...(await measureCopy(folder)), name: basename(original) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureCopy(folder: string): Promise<VaultResult> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  let peakMb = 0
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, daemon.rssMb() ?? 0)
  }, 20)
  try {
    const untouched = lookOf(folder)
    await daemon.load()
    const started = performance.now()
    const { body } = await daemon.ask('POST', '/api/sources/notevault', { path: folder })
    const { id } = body.source
    await complete(daemon, id)
    const firstSeconds = (performance.now() - started) / 1000
    const load = await daemon.load()
    const again = performance.now()
    await daemon.ask('POST', `/api/sources/${id}/sync`, {})
    await complete(daemon, id)
    const rescanMs = performance.now() - again
    const rescanCpuMs = (await daemon.load()).cpuMs - load.cpuMs
    const isUntouched = lookOf(folder) === untouched
    // The watcher must be running before files change.
    await delay(5000)
    const { stats, health } = (await daemon.ask('GET', `/api/sources/${id}`)).body
    const changes = await changesOf(daemon, folder)
    const { artifacts, chunks } = stats
    const counts = { notes: artifacts, chunks, faults: health.failures.total }
    return {
      name: folder,
      ...counts,
      firstSeconds,
      rescanMs,
      rescanCpuMs,
      ...changes,
      peakRssMb: peakMb,
      load,
      isUntouched,
    }
  } finally {
    clearInterval(sampling)
    await daemon.stop()
    workspace.remove()
  }
}

async function complete(daemon: MeasuredDaemon, id: string): Promise<void> {
  for (;;) {
    const { status } = (await daemon.ask('GET', `/api/sources/${id}`)).body.indexJob
    if (status === 'failed') throw new Error('The vault could not be synced')
    if (status === 'complete') return
    await delay(10)
  }
}

/**
 * Measures how long it takes until a new note is found, found at its new path after a move, and gone after a
 * delete.
 */
async function changesOf(daemon: MeasuredDaemon, folder: string) {
  const file = join(folder, 'bench-change.md')
  const moved = join(folder, 'bench-moved.md')
  const until = async (isThere: (paths: string[]) => boolean): Promise<number> => {
    const started = performance.now()
    for (;;) {
      const { body } = await daemon.ask('POST', '/api/sources/search', { query: 'quokkalighthouse' })
      if (isThere(body.results.map(({ sourcePath }: { sourcePath: string }) => sourcePath)))
        return performance.now() - started
      await delay(20)
    }
  }
  writeFileSync(file, 'nothing yet')
  await delay(2000)
  writeFileSync(file, 'the quokkalighthouse blinks')
  const changedMs = await until(paths => paths.includes('bench-change.md'))
  renameSync(file, moved)
  const movedMs = await until(paths => paths.join() === 'bench-moved.md')
  rmSync(moved)
  const deletedMs = await until(paths => paths.length === 0)
  return { changedMs, movedMs, deletedMs }
}

/** A hash of every path with its bytes, size and times. */
function lookOf(folder: string): string {
  const hash = createHash('sha256')
  for (const path of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
    const stats = statSync(join(folder, path))
    hash.update(`${path} ${stats.size} ${stats.mtimeMs} ${stats.ino}\n`)
    if (stats.isFile()) hash.update(readFileSync(join(folder, path)))
  }
  return hash.digest('hex')
}

/** Compares memories with as many artifact chunks beside them against the same memories alone. */
async function recallBeside(rows: number): Promise<RecallInTurns> {
  const isFound = async (daemon: MeasuredDaemon): Promise<boolean> =>
    (await daemon.ask('POST', '/api/sources/search', { query: lastWord })).body.results.length > 0
  const both = await filledDaemon({ rows, add: putChunks, isFound })
  const alone = await filledDaemon({ rows })
  return recallInTurns(rows, { both, alone })
}

/** A word of the chunk that is indexed last, since chunks are indexed newest first. */
const lastWord = 'quokkafinish'

/** Copies the texts of the memories as artifacts of a source. */
function putChunks(folder: string): void {
  const raw = new BetterSqlite(workspacePaths(folder).database)
  const time = "'2026-01-01T00:00:00.000Z'"
  raw.exec(`INSERT INTO sources (id, agent_id, kind, name, root, settings, created_by, created_at, updated_at)
      VALUES ('coderepo:bench', 'default', 'coderepo', 'bench', 'bench', '{}', 'bench', ${time}, ${time});
    INSERT INTO source_artifacts (id, source_id, path, kind, fingerprint, content_hash, pass, chunk_count,
        safety_status, safety_reasons, safety_policy, safety_scanned_at, created_at, updated_at)
      SELECT 'a' || id, 'coderepo:bench', id, 'doc', 'f', 'h', 1, 1, 'clean', '', '2', ${time}, ${time}, ${time}
      FROM memories;
    INSERT INTO source_texts SELECT 'a' || id, content FROM memories;
    INSERT INTO source_chunks (artifact_id, chunk, source_id, text, safety_status, change)
      SELECT 'a' || id, 0, 'coderepo:bench', CASE rowid WHEN 1 THEN 'the ${lastWord} blinks' ELSE content END, 'clean',
        1000000 + rowid FROM memories;
    UPDATE meta SET value = '3000000' WHERE key = 'change'`)
  raw.close()
}

export function formatSourcesSuite({ load, vaults, recall }: SourcesSuiteResult): string {
  const lines = [
    `Load ${load.map(one => one.toFixed(1)).join(' to ')}.`,
    '',
    '| vault | notes | chunks | first reading (processor) | unchanged (processor) | changed | moved | deleted | peak RSS | loop p99, max | longest turn by processor | untouched |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|',
    ...vaults.map(
      one =>
        `| ${one.name} | ${one.notes} | ${one.chunks} | ${one.firstSeconds.toFixed(1)} s (${(one.load.cpuMs / 1000).toFixed(1)}) | ${one.rescanMs.toFixed(0)} ms (${one.rescanCpuMs.toFixed(0)}) | ${one.changedMs.toFixed(0)} ms | ${one.movedMs.toFixed(0)} ms | ${one.deletedMs.toFixed(0)} ms | ${one.peakRssMb.toFixed(0)} MB | ${one.load.loopP99Ms.toFixed(0)}, ${one.load.loopMaxMs.toFixed(0)} ms | ${one.load.turnMaxMs.toFixed(0)} ms | ${one.isUntouched ? 'yes' : 'NO'} |`,
    ),
  ]
  return [...lines, ...(recall ? ['', formatRecallInTurns('as many chunks of artifacts', recall)] : [])].join(
    '\n',
  )
}
