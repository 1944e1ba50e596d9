import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../../../lib/time/time.js'
import { rotateEvents } from '../../../store/files/event-file.js'
import type { DroppedKnowledge } from '../../../store/tables/operations/retention.js'
import type { Tables } from '../../../store/tables/tables.js'
import { maxRecallRecords, recallRecordDays } from '../../ground/recording/recall-recorder.js'
import {
  hoursCountedDays,
  maxEventFileBytes,
  maxEvents,
  telemetryDays,
} from '../../ground/recording/record-event.js'
import { ownCaller } from '../../ground/visibility/caller.js'
import { retentionDays } from '../../memory/edit/recover.js'
import { softDeleteAll } from '../../memory/edit/remove.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Rows deleted per step of a sweep (rules.md 8). */
const defaultBatchLimit = 500
/** Memories per transaction: requests wait while it runs and syncs. */
const transactionRows = 50
const historyDays = 180
/** Events of one look, a few milliseconds. */
const eventsTogether = 5000
/** Days from expiry until a memory is forgotten. */
const expiredDays = 30
const completedJobDays = 14
const deadJobDays = 30
const blackBoxDays = 30
const skillUseDays = 90
const taskRunDays = 30
const continuityDays = 365
const turnDays = 365
/** Same as for memories: while these can be recovered, the document shows their origin. */
const deletedDocumentDays = retentionDays

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'newId' | 'paths' | 'log'>

/** Rows deleted by each step of a sweep, in order. */
export interface SweepReport {
  /** Memories forgotten, recoverable, since they expired long ago. */
  expired: number
  /** Mentions in deleted memories, and entities left without mentions. */
  mentions: number
  entities: number
  embeddings: number
  tombstones: number
  history: number
  completedJobs: number
  deadJobs: number
  sessionEvents: number
  telemetryEvents: number
  recallRecords: number
  continuity: number
  sessionTurns: number
  skillUses: number
  taskRuns: number
  documents: number
}

/**
 * Permanently deletes rows past their retention, at most `batchLimit` per step: knowledge from expired
 * memories, the memories themselves (copied to cold storage first), history, completed and dead jobs
 * (rules.md 1.4 and 3.1), events, skill uses, task runs and deleted documents.
 */
export async function sweep(
  deps: Deps,
  { batchLimit = defaultBatchLimit }: { batchLimit?: number } = {},
): Promise<SweepReport> {
  const { retention } = deps.store.tables
  const expired = await forgetExpired(deps, batchLimit)
  const purged = await purgeTombstones(deps, batchLimit)
  await nextTurn()
  const history = await deleteHistory(deps, batchLimit)
  await nextTurn()
  const completedJobs = await retention.deleteJobs('completed', daysAgo(deps, completedJobDays), batchLimit)
  await nextTurn()
  const deadJobs = await retention.deleteJobs('dead', daysAgo(deps, deadJobDays), batchLimit)
  await nextTurn()
  const { sessionEvents: blackBoxes, skillUses: uses } = deps.store.tables
  const sessionEvents = await blackBoxes.purge(daysAgo(deps, blackBoxDays), batchLimit)
  await nextTurn()
  const telemetryEvents = await purgeTelemetry(deps, batchLimit)
  await nextTurn()
  const recallRecords = await deps.store.tables.recallRecords.purge(
    daysAgo(deps, recallRecordDays),
    maxRecallRecords,
    batchLimit,
  )
  await nextTurn()
  const sessionTurns = await deps.store.tables.sessionTurns.purge(daysAgo(deps, turnDays), batchLimit)
  await nextTurn()
  const continuity = await deps.store.tables.continuityScores.purge(daysAgo(deps, continuityDays), batchLimit)
  await nextTurn()
  const skillUses = await uses.purge(daysAgo(deps, skillUseDays), batchLimit)
  await nextTurn()
  const taskRuns = await deps.store.tables.taskRuns.purge(daysAgo(deps, taskRunDays), batchLimit)
  await nextTurn()
  const documents = await deps.store.tables.documents.purge(daysAgo(deps, deletedDocumentDays), batchLimit)
  await rotateEventFile(deps)
  return {
    expired,
    ...purged,
    history,
    completedJobs,
    deadJobs,
    sessionEvents,
    telemetryEvents,
    recallRecords,
    continuity,
    sessionTurns,
    skillUses,
    taskRuns,
    documents,
  }
}

/** Deletes events by age and number, and their counts by age. */
async function purgeTelemetry(deps: Deps, batchLimit: number): Promise<number> {
  const { telemetry, telemetryCounts } = deps.store.tables
  await telemetryCounts.forget('hour', daysAgo(deps, hoursCountedDays))
  await telemetryCounts.forget('day', daysAgo(deps, telemetryDays))
  const aged = await telemetry.purge(daysAgo(deps, telemetryDays), batchLimit)
  return aged + (await telemetry.keepNewest(maxEvents, batchLimit))
}

/** Counts what a sweep would delete in its main steps, up to the limit of one sweep. */
export async function dueNow(
  deps: Pick<Deps, 'store' | 'clock'>,
): Promise<Pick<SweepReport, 'tombstones' | 'history' | 'completedJobs' | 'deadJobs'>> {
  const { retention } = deps.store.tables
  const tombstones = await retention.dueTombstones(daysAgo(deps, retentionDays), defaultBatchLimit)
  let history = 0
  for await (const numbers of oldEvents(deps, defaultBatchLimit)) history += numbers.length
  const completed = await retention.dueJobs('completed', daysAgo(deps, completedJobDays), defaultBatchLimit)
  const dead = await retention.dueJobs('dead', daysAgo(deps, deadJobDays), defaultBatchLimit)
  return { tombstones, history, completedJobs: completed, deadJobs: dead }
}

async function deleteHistory(deps: Deps, limit: number): Promise<number> {
  let deleted = 0
  for await (const numbers of oldEvents(deps, limit)) {
    await deps.store.tables.retention.deleteEvents(numbers)
    deleted += numbers.length
  }
  return deleted
}

/**
 * Yields the numbers of events past their retention. Events have no index of times, which each save would
 * write: they are in the order of their saves, but a file may bring old ones, so this looks at all.
 */
async function* oldEvents(
  deps: Pick<Deps, 'store' | 'clock'>,
  limit: number,
): AsyncGenerator<readonly number[], void> {
  const { history, retention } = deps.store.tables
  const before = daysAgo(deps, historyDays)
  const newest = await history.newest()
  for (let after = 0, left = limit; after < newest && left > 0; after += eventsTogether) {
    const numbers = await retention.oldEvents({ after, upTo: after + eventsTogether }, before, left)
    left -= numbers.length
    if (numbers.length > 0) yield numbers
    await nextTurn()
  }
}

/** The events are also in the database, so a failed rename must not fail the sweep. */
async function rotateEventFile({ paths, log }: Deps): Promise<void> {
  try {
    await rotateEvents(paths.telemetryEvents, maxEventFileBytes)
  } catch (error) {
    log.warn({ err: error }, 'telemetry event file not rotated')
  }
}

/** Forgets memories that expired a month ago, so that they can still be recovered (rules.md 1.4.1). */
async function forgetExpired(deps: Deps, batchLimit: number): Promise<number> {
  const before = daysAgo(deps, expiredDays)
  let total = 0
  // Most sweeps find none, and a transaction waits for the disk.
  while (total < batchLimit && (await deps.store.tables.retention.expiredBefore(before, 1)).length > 0) {
    const limit = Math.min(transactionRows, batchLimit - total)
    const rows = await deps.store.transaction(async tables => {
      const rows = await tables.retention.expiredBefore(before, limit)
      await softDeleteAll(deps, tables, ownCaller(deps, 'retention'), rows, 'expired')
      return rows
    })
    for (const { id } of rows) deps.index.remove(id)
    total += rows.length
    await nextTurn()
  }
  return total
}

/** Deletes expired memories in batches: knowledge, embeddings, cold copy and rows in one transaction. */
async function purgeTombstones(
  deps: Deps,
  batchLimit: number,
): Promise<Pick<SweepReport, 'mentions' | 'entities' | 'embeddings' | 'tombstones'>> {
  const total = { mentions: 0, entities: 0, embeddings: 0, tombstones: 0 }
  while (total.tombstones < batchLimit) {
    const limit = Math.min(transactionRows, batchLimit - total.tombstones)
    const { ids, embeddings, known } = await deps.store.transaction(tables => purge(deps, tables, limit))
    if (ids.length === 0) break
    for (const id of ids) deps.index.remove(id)
    total.mentions += known.mentions
    total.entities += known.entities
    total.embeddings += embeddings
    total.tombstones += ids.length
    await nextTurn()
  }
  return total
}

async function purge(
  deps: Deps,
  { retention, knowledgeRetention }: Tables,
  limit: number,
): Promise<{ ids: string[]; embeddings: number; known: DroppedKnowledge }> {
  const ids = await retention.expired(daysAgo(deps, retentionDays), limit)
  const known = await knowledgeRetention.drop(ids)
  if (ids.length === 0) return { ids, embeddings: 0, known }
  const embeddings = await retention.deleteVectors(ids)
  await retention.copyToCold(ids, deps.clock().toISOString())
  await retention.deleteMemories(ids)
  return { ids, embeddings, known }
}

function daysAgo({ clock }: Pick<Deps, 'clock'>, days: number): string {
  return new Date(clock().getTime() - days * dayMs).toISOString()
}
