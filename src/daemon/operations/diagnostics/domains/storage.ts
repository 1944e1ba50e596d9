import { stat, statfs } from 'node:fs/promises'
import type { ImportRoom } from '../../../../contract/knowledge/imports.js'
import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { databaseGone, remedyOf } from '../../../../lib/files/storage-fault.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { dayMs } from '../../../../lib/time/time.js'
import { eventFileFault } from '../../../../store/files/event-file.js'
import { keepReason } from '../../../../store/tables/operations/orphans.js'
import { telemetryEnabled } from '../../../ground/recording/record-event.js'
import { roomFor } from '../../../knowledge/transcript-import/uploads/admission.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { lookedAt } from '../../storage/status.js'
import { telemetryHealth } from '../../telemetry/health.js'
import { ageSec, type DiagnosticsInput, damageFinding, finding, fine, scored } from '../findings/finding.js'
import { backupFindings, roundTripFinding, syncFindings } from './upkeep.js'

const mebibyte = 1024 * 1024
const scarceBytes = 1024 * mebibyte
/** Reads slow down when the write-ahead log grows this large. */
const longLogBytes = 512 * mebibyte
/** The pages are checked daily; a week without a check is reported. */
const uncheckedSec = (7 * dayMs) / 1000

/** Reports whether data can be saved and is undamaged. */
export async function storageDomain(look: DiagnosticsInput): Promise<DomainReport<'storage'>> {
  const { daemon, survey } = look
  const { store, paths, room, integrity } = daemon
  await room.look()
  const { pages, free, pageBytes } = await store.tables.catalogue.pages()
  const diskFreeBytes = await freeBytes(paths.root)
  const checkedAt = (await store.tables.meta.lastDone('integrity')) ?? null
  const logBytes = await sizeOf(`${paths.database}-wal`)
  return {
    ...scored([
      ...databaseFindings(daemon, survey),
      ...(await serverFindings(store)),
      ...diskFindings(daemon, diskFreeBytes),
      ...importRoomFindings(await roomFor(daemon, await store.tables.importFiles.reserved())),
      ...(logBytes > longLogBytes ? [longLog(logBytes)] : []),
      ...uncheckedFindings(look, checkedAt),
      ...retentionFindings(survey),
      ...rowFindings(survey),
      ...(await telemetryFindings(daemon)),
      ...(await backupFindings(look)),
      ...(await syncFindings(look)),
      await roundTripFinding(look),
    ]),
    totalMemories: survey.memories.alive,
    deletedTombstones: survey.memories.deleted,
    coldMemories: survey.rows.cold_memories ?? 0,
    dbSizeBytes: pages * pageBytes,
    freePageBytes: free * pageBytes,
    logBytes,
    diskFreeBytes,
    writable: room.problem() === undefined && integrity.problems().length === 0,
    integrityCheckedAt: checkedAt,
    schema: store.migrations,
  }
}

/** A full disk and a faulty database have their own remedies (disk.md). */
function databaseFindings({ integrity, room, paths, store }: Daemon, survey: DiagnosticsInput['survey']) {
  const problem = room.problem()
  const damage = [
    ...integrity.problems(),
    ...survey.unreadable.map(({ look, why }) => `${look} could not be read: ${why}`),
  ]
  if (damage.length > 0)
    return [
      finding({
        id: 'database',
        severity: 'error',
        evidence: `damaged: ${damage.join('; ')}`,
        count: damage.length,
        fix: `memory export --deleted --out memories.jsonl saves what can be read; then memory daemon stop, replace ${paths.database} with a backup (or move it away), and memory import memories.jsonl`,
      }),
    ]
  if (problem)
    return [
      finding({
        id: 'database',
        severity: 'error',
        evidence: `${problem}: nothing can be saved; reading still works`,
        fix:
          problem === databaseGone
            ? remedyOf(problem)
            : `free space on the disk of ${paths.root}; no restart is needed`,
      }),
    ]
  return [fine('database', `sound, schema ${store.migrations.applied}`)]
}

/** The checks of a database server that need action. */
async function serverFindings({ server }: Daemon['store']) {
  if (!server) return []
  const { checks } = await lookedAt(server)
  return checks
    .filter(({ severity }) => severity !== 'ok')
    .map(({ id, ...check }) => finding({ id: `server-${id}`, ...check }))
}

function diskFindings({ paths }: Daemon, free: number | null) {
  if (free === null || free >= scarceBytes) return []
  return [
    finding({
      id: 'free-space',
      severity: 'warning',
      evidence: `${Math.floor(free / mebibyte)} MiB free on the disk of ${paths.root}`,
      fix: `free space on the disk of ${paths.root}`,
    }),
  ]
}

/** Free space may be reserved by imports in progress; a nearly full disk has its own finding. */
export function importRoomFindings({ free, reserved, kept, file }: ImportRoom) {
  if (file > 0 || free < scarceBytes) return []
  const said = [free, reserved, kept].map(bytes => `${Math.floor(bytes / mebibyte)} MiB`)
  return [
    finding({
      id: 'import-room',
      severity: 'warning',
      evidence: `no conversation file can be uploaded: ${said[0]} free, ${said[1]} reserved by imports, ${said[2]} always left free`,
      fix: 'memory imports list shows imports that wait; memory imports cancel ID frees their space',
    }),
  ]
}

function longLog(bytes: number) {
  return finding({
    id: 'long-log',
    severity: 'warning',
    evidence: `${Math.floor(bytes / mebibyte)} MiB of the database are still in its log: a long read blocks it`,
    fix: 'memory daemon restart',
  })
}

function uncheckedFindings({ now, survey }: DiagnosticsInput, checkedAt: string | null) {
  const age = ageSec(now, checkedAt)
  if (survey.memories.alive === 0 || age === null || age < uncheckedSec) return []
  return [
    finding({
      id: 'unchecked-pages',
      severity: 'info',
      evidence: `the pages of the database were last checked ${checkedAt}`,
      fix: 'leave the daemon running: it checks once a day',
    }),
  ]
}

function retentionFindings({ memories: { overdue } }: DiagnosticsInput['survey']) {
  if (overdue === 0) return []
  return [
    finding({
      id: 'overdue-tombstones',
      severity: 'warning',
      evidence: `${countOf(overdue, 'forgotten memory', 'forgotten memories')} should be permanently deleted by now`,
      count: overdue,
      repair: 'retention-sweep',
      fix: 'memory repair retention-sweep',
    }),
  ]
}

/** Orphaned rows of memories and conversations, and memories with wrong counts or hashes. */
function rowFindings({ damage, judgedOtherwise }: DiagnosticsInput['survey']) {
  const orphans = damage
    .filter(
      ({ id, table }) => id.startsWith('orphaned-') && !isGraphTable(table) && !reportedElsewhere.has(table),
    )
    .flatMap(({ id, table }) =>
      damageFinding(damage, id, count => `${countOf(count, 'orphaned row')} in ${table}`, {
        ...orphanRemedy(table),
      }),
    )
  return [
    ...orphans,
    ...damageFinding(
      damage,
      'changed-contents',
      count => `${countOf(count, 'memory', 'memories')} whose text differs from the saved one`,
      { fix: 'memory get ID and memory history ID show whether another program wrote to the database' },
    ),
    ...damageFinding(
      damage,
      'miscounted-holders',
      count => `${countOf(count, 'memory', 'memories')} with a wrong holder count`,
      { repair: 'clean-orphans', fix: 'memory repair clean-orphans' },
    ),
    ...(judgedOtherwise === 0
      ? []
      : [
          finding({
            id: 'outdated-verdicts',
            severity: 'info',
            evidence: `${countOf(judgedOtherwise, 'text')} judged by another version of the content safety policy, being scanned again in the background`,
            count: judgedOtherwise,
          }),
        ]),
  ]
}

/** Remedy for orphaned rows of a table. */
export function orphanRemedy(table: string): { repair?: string; fix: string } {
  const why = keepReason(table)
  if (why === undefined) return { repair: 'clean-orphans', fix: 'memory repair clean-orphans' }
  return {
    fix: `they are kept: ${why}; GET /api/diagnostics/database/tables/${table}/sample shows some`,
  }
}

/** Tables whose orphans the index and harness domains report. */
const reportedElsewhere = new Set(['memory_vectors', 'transcript_messages'])

const graphTables = /^(?:entit|claim|evidence_|ontology_)/u

export function isGraphTable(table: string): boolean {
  return graphTables.test(table)
}

async function freeBytes(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}

/**
 * Telemetry events that can't be written or sent. Nothing else depends on them, so only diagnostics report
 * it.
 */
async function telemetryFindings(
  daemon: Pick<Daemon, 'store' | 'telemetry' | 'configuration' | 'environment' | 'clock' | 'paths'>,
) {
  if (!telemetryEnabled(daemon)) return []
  const fault = await eventFileFault(daemon.paths.telemetryEvents)
  const { status, consecutiveFailures, droppedEventCount } = await telemetryHealth(daemon)
  return [
    ...(fault === undefined && !daemon.telemetry.isFailing ? [] : [writeFinding(daemon, fault)]),
    ...(status === 'degraded' ? [deliveryFinding(consecutiveFailures, droppedEventCount)] : []),
  ]
}

function writeFinding({ paths }: Pick<Daemon, 'paths'>, fault: string | undefined) {
  return finding({
    id: 'telemetry-events',
    severity: 'warning',
    penalty: 0.05,
    evidence:
      fault === undefined
        ? 'the last usage events could not be written to the database'
        : `usage events can't be written to ${paths.telemetryEvents} (${fault}); the database has them`,
    fix: 'make it writable for the daemon, or run memory telemetry off',
  })
}

function deliveryFinding(failures: number, dropped: number) {
  const lost = dropped > 0 ? `, ${dropped} events were dropped` : ''
  return finding({
    id: 'telemetry-delivery',
    severity: 'warning',
    penalty: 0.05,
    evidence: `telemetry.delivery.url accepts no events: ${failures} attempts failed in a row${lost}`,
    fix: 'memory telemetry status; memory config set telemetry.delivery.url ADDRESS, or an empty one to send nothing',
  })
}
