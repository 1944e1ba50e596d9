import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type Load, type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import type { SyntheticMemories } from '../index/synthetic.js'
import { indexReady } from '../recall/in-turns.js'

interface RecallLatency {
  recalls: number
  p50Ms: number
  p95Ms: number
  loop: Load
}

export interface BackupSuiteResult {
  rows: number
  /** One-minute load average before and after. */
  load: [number, number]
  seconds: number
  databaseBytes: number
  archiveBytes: number
  verifySeconds: number
  quiet: RecallLatency
  during: RecallLatency
  prepareSeconds: number
  /** From the start of the daemon that restores the archive until it serves requests. */
  takeInSeconds: number
  tables: number
  rowsCompared: number
}

const quietRecalls = 200
const warmUps = 20

/**
 * Backs up a workspace of memories with vectors while recalls run one after another, then restores it into an
 * empty one.
 * @throws Error when the hash over a table's rows differs after the restore
 */
export async function runBackupSuite({ rows = 100_000 }: { rows?: number } = {}): Promise<BackupSuiteResult> {
  const before = loadavg()[0] as number
  const [from, to] = [temporaryWorkspace(), temporaryWorkspace()]
  try {
    const memories = await fillWorkspace(from.folder, rows)
    const daemon = await startMeasuredDaemon(from.folder)
    await indexReady(daemon, rows)
    await ask({ daemon, memories, while: count => count < warmUps })
    const first = await ask({ daemon, memories, while: count => count < quietRecalls })
    const making = post(daemon, '/api/backup', {})
    let ended = false
    void making.finally(() => {
      ended = true
    })
    const during = await ask({ daemon, memories, while: () => !ended })
    const { backup } = (await making).body
    const verify = await post(daemon, `/api/backup/${backup.id}/verify`, {})
    if (!verify.body.ok) throw new Error(verify.body.problems.join('; '))
    await daemon.stop()
    // Recalls update counters in the rows they find and write events a moment later. The comparison therefore
    // uses a backup of a daemon that served no other request.
    const again = await startMeasuredDaemon(from.folder)
    const last = (await post(again, '/api/backup', {})).body.backup
    await again.stop()
    const restored = await restore(to.folder, last.file)
    const compared = compare(from.folder, to.folder)
    if (compared.different.length > 0)
      throw new Error(`rows differ after the restore: ${compared.different.join(', ')}`)
    return {
      rows,
      load: [before, loadavg()[0] as number],
      seconds: backup.durationMs / 1000,
      databaseBytes: compared.bytes,
      archiveBytes: backup.bytes,
      verifySeconds: verify.ms / 1000,
      quiet: first,
      during,
      ...restored,
      tables: compared.tables,
      rowsCompared: compared.rows,
    }
  } finally {
    from.remove()
    to.remove()
  }
}

async function ask({
  daemon,
  memories,
  while: goesOn,
}: {
  daemon: MeasuredDaemon
  memories: SyntheticMemories
  while: (count: number) => boolean
}): Promise<RecallLatency> {
  await daemon.load()
  const times: number[] = []
  while (goesOn(times.length)) {
    const { status, ms } = await daemon.ask('POST', '/api/memory/recall', { query: memories.query() })
    if (status !== 200) throw new Error(`answered ${status}`)
    times.push(ms)
  }
  const loop = await daemon.load()
  return { recalls: times.length, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), loop }
}

async function restore(
  folder: string,
  file: string,
): Promise<Pick<BackupSuiteResult, 'prepareSeconds' | 'takeInSeconds'>> {
  const daemon = await startMeasuredDaemon(folder)
  const { ms } = await post(daemon, '/api/backup/restore', { file, confirm: true })
  await daemon.stop()
  const again = await startMeasuredDaemon(folder)
  await delay(0)
  await again.stop()
  return { prepareSeconds: ms / 1000, takeInSeconds: again.readyMs / 1000 }
}

async function post(daemon: MeasuredDaemon, path: string, body: object) {
  const answer = await daemon.ask('POST', path, body)
  if (answer.status >= 300)
    throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Reads both database files while no daemon is running. */
function compare(
  one: string,
  two: string,
): { tables: number; rows: number; bytes: number; different: string[] } {
  const [left, right] = [one, two].map(hashesOf) as [Hashes, Hashes]
  const names = [...new Set([...Object.keys(left.tables), ...Object.keys(right.tables)])]
  const different = names.filter(name => left.tables[name] !== right.tables[name])
  return { tables: names.length, rows: left.rows, bytes: left.bytes, different }
}

interface Hashes {
  tables: Record<string, string>
  rows: number
  bytes: number
}

/** Hashes all values of all rows in key order, except rows that a daemon writes by itself when it starts. */
function hashesOf(folder: string): Hashes {
  const { database } = workspacePaths(folder)
  const connection = new BetterSqlite(database, { readonly: true })
  const names = connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all()
  const found: Hashes = { tables: {}, rows: 0, bytes: 0 }
  for (const name of names.filter(one => one !== 'meta' && one !== 'jobs')) {
    const hash = createHash('sha256')
    for (const row of connection.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).raw().iterate()) {
      for (const value of row as unknown[])
        hash.update(Buffer.isBuffer(value) ? value : `${typeof value} ${value};`)
      found.rows++
    }
    found.tables[name] = hash.digest('hex')
  }
  const pages = connection.pragma('page_count', { simple: true }) as number
  found.bytes = pages * (connection.pragma('page_size', { simple: true }) as number)
  connection.close()
  for (const ending of ['-wal', '-shm']) rmSync(database + ending, { force: true })
  return found
}

export function formatBackupSuite(result: BackupSuiteResult): string {
  const { rows, quiet, during } = result
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  const line = (what: string, { recalls, p50Ms, p95Ms, loop }: RecallLatency): string =>
    `| ${what} | ${recalls} | ${p50Ms.toFixed(1)} ms | ${p95Ms.toFixed(1)} ms | ${loop.loopP99Ms.toFixed(1)}, ${loop.loopMaxMs.toFixed(1)} ms |`
  return [
    `| recall by words, ${rows.toLocaleString('en')} memories | recalls | p50 | p95 | loop delay p99, max |`,
    '|---|--:|--:|--:|--:|',
    line('quiet', quiet),
    line('during a backup', during),
    '',
    `Backup ${result.seconds.toFixed(1)} s; database ${mib(result.databaseBytes)}, archive ${mib(result.archiveBytes)}; verified in ${result.verifySeconds.toFixed(1)} s.`,
    `Restore into an empty workspace: ${result.prepareSeconds.toFixed(1)} s to unpack and check, ready ${result.takeInSeconds.toFixed(1)} s after the start.`,
    `${result.rowsCompared.toLocaleString('en')} rows of ${result.tables} tables have equal hashes. Load${result.load.map(one => one.toFixed(1)).join(' to ')}.`,
  ].join('\n')
}
