import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { contentHash, storageContent } from '../../src/daemon/memory/records/normalise-content.js'
import { policyVersion } from '../../src/daemon/safety/verdict-columns.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { packedHash } from '../../src/store/sql/packed.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { type Damage, damages } from './damages.js'

export interface DamageFigure {
  what: string
  planted: number
  /** Count in diagnostics before and after the repair. */
  found: number
  left: number
  repair: string
}

export interface RepairFigure {
  repair: string
  affected: number
  calls: number
  seconds: number
  /** Longest event loop delay of the daemon during the repair. */
  loopMaxMs: number
  /** Processor time of the longest turn. */
  turnMaxMs: number
}

export interface RepairSuiteResult {
  rows: number
  damages: DamageFigure[]
  repairs: RepairFigure[]
}

/**
 * Plants each kind of damage in a large workspace, finds it with diagnostics, repairs it, and checks again.
 */
export async function runRepairSuite({ rows = 100_000 }: { rows?: number } = {}): Promise<RepairSuiteResult> {
  const provider = await startFakeProvider()
  const repair = { cooldownMs: 0, callsPerHour: 100_000 }
  const workspace = temporaryWorkspace({ ...provider.settings, repair })
  await fillWorkspace(workspace.folder, rows)
  const raw = new BetterSqlite(workspacePaths(workspace.folder).database)
  raw.function('hash_of', { deterministic: true }, text =>
    packedHash(contentHash(storageContent(String(text)))),
  )
  raw.pragma('foreign_keys = OFF')
  makeWhole(raw)
  raw.transaction(() => plant(raw, damage => !damage.isLive))()
  const daemon = await startMeasuredDaemon(workspace.folder)
  try {
    await settled(daemon)
    raw.transaction(() => plant(raw, damage => damage.isLive === true))()
    const before = await findings(daemon)
    const repairs: RepairFigure[] = []
    for (const name of new Set(damages.map(damage => damage.repair))) repairs.push(await mend(daemon, name))
    await settled(daemon)
    const after = await findings(daemon)
    const figures = damages.map(({ what, count, findings: ids, repair: name }) => ({
      what,
      planted: count,
      found: sum(before, ids),
      left: sum(after, ids),
      repair: name,
    }))
    return { rows, damages: figures, repairs }
  } finally {
    raw.close()
    await daemon.stop()
    provider.close()
    workspace.remove()
  }
}

/** Filled workspaces have repeated texts and placeholder hashes; each row gets its own text and hash. */
function makeWhole(raw: Database): void {
  raw.exec(`UPDATE memories SET content = content || ' number ' || rowid;
    UPDATE memories SET content_hash = hash_of(content), safety_policy = '${policyVersion}';
    UPDATE meta SET value = '4000000' WHERE key = 'change'`)
  // Marks the daemon's own retention sweep as done, so that it deletes nothing during the measurement.
  raw.prepare("INSERT INTO meta VALUES ('retention_swept_at', ?)").run(new Date().toISOString())
}

function plant(raw: Database, isWanted: (damage: Damage) => boolean): void {
  for (const damage of damages) if (isWanted(damage)) damage.plant(raw, damage.count)
}

/** Waits until the index is filled and no background work is pending. */
async function settled(daemon: MeasuredDaemon): Promise<void> {
  for (;;) {
    const { body } = await daemon.ask('GET', '/api/diagnostics/index?refresh=true')
    if (body.state === 'ready') return
    await delay(500)
  }
}

async function findings(daemon: MeasuredDaemon): Promise<Map<string, number>> {
  const { body } = await daemon.ask('GET', '/api/diagnostics?refresh=true')
  const found = new Map<string, number>()
  for (const domain of Object.values<{ findings?: { id: string; severity: string; count?: number }[] }>(body))
    for (const { id, severity, count } of domain?.findings ?? [])
      if (severity !== 'ok') found.set(id, (found.get(id) ?? 0) + (count ?? 1))
  return found
}

function sum(found: ReadonlyMap<string, number>, ids: readonly string[]): number {
  return ids.reduce((total, id) => total + (found.get(id) ?? 0), 0)
}

async function mend(daemon: MeasuredDaemon, repair: string): Promise<RepairFigure> {
  const body = damages.find(damage => damage.repair === repair)?.body ?? {}
  await daemon.load()
  const started = performance.now()
  let affected = 0
  for (let calls = 1; ; calls++) {
    const { status, body: reply } = await daemon.ask('POST', `/api/repair/${repair}`, body)
    if (status !== 200) throw new Error(`${repair}: ${status} ${JSON.stringify(reply)}`)
    affected += reply.affected
    if (reply.status !== 'running' && reply.details?.status !== 'running') {
      const { loopMaxMs, turnMaxMs } = await daemon.load()
      return { repair, affected, calls, seconds: (performance.now() - started) / 1000, loopMaxMs, turnMaxMs }
    }
  }
}

export function formatRepairSuite({ rows, damages: planted, repairs }: RepairSuiteResult): string {
  return [
    `${rows} memories`,
    '',
    '| damage | planted | found | repair | left |',
    '|---|--:|--:|---|--:|',
    ...planted.map(
      one => `| ${one.what} | ${one.planted} | ${one.found} | \`${one.repair}\` | ${one.left} |`,
    ),
    '',
    '| repair | affected | calls | took | longest turn | of it processor |',
    '|---|--:|--:|--:|--:|--:|',
    ...repairs.map(
      one =>
        `| \`${one.repair}\` | ${one.affected} | ${one.calls} | ${one.seconds.toFixed(1)} s | ${one.loopMaxMs.toFixed(0)} ms | ${one.turnMaxMs.toFixed(0)} ms |`,
    ),
  ].join('\n')
}
