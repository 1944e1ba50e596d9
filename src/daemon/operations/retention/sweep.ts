import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../../../lib/time/time.js'
import { rotateEvents } from '../../../store/files/event-file.js'
import type { DroppedKnowledge } from '../../../store/tables/knowledge/knowledge-retention.js'
import type { Tables } from '../../../store/tables/tables.js'
import { hoursCountedDays, maxEvents, telemetryDays } from '../../ground/recording/create-event-recorder.js'
import { maxRecallRecords, recallRecordDays } from '../../ground/recording/recall-recorder.js'
import { maxEventFileBytes } from '../../ground/recording/record-event.js'
import { retentionDays } from '../../memory/edit/recover.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Rows that one sweep takes in each step (rules.md 8). */
const defaultBatchLimit = 500
/** Memories that one transaction takes: requests wait while it runs and syncs. */
const transactionRows = 50
const historyDays = 180
const completedJobDays = 14
const deadJobDays = 30
const blackBoxDays = 30
const skillUseDays = 90
const taskRunDays = 30
const continuityDays = 365
/** As its memories: while they can be recovered, it tells where they are from. */
const deletedDocumentDays = retentionDays

type Deps = Pick<Daemon, 'store' | 'index' | 'clock' | 'paths' | 'log'>

/** Rows that a sweep deleted, step by step in its order. */
export interface SweepReport {
  /** What memories mention, and the entities that nothing mentions any more. */
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
  skillUses: number
  taskRuns: number
  documents: number
}

/**
 * Deletes for good what is past its retention, at most `batchLimit` rows a step: what is known by memories, then the
 * memories, which are copied to cold storage first, then history, completed jobs, dead jobs (rules.md 1.4 and 3.1),
 * events, uses of skills, runs of tasks and deleted documents.
 */
export async function sweep(
  deps: Deps,
  { batchLimit = defaultBatchLimit }: { batchLimit?: number } = {},
): Promise<SweepReport> {
  const { retention } = deps.store.tables
  const purged = await purgeTombstones(deps, batchLimit)
  await nextTurn()
  const history = await retention.deleteHistory(daysAgo(deps, historyDays), batchLimit)
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
  const continuity = await deps.store.tables.continuityScores.purge(daysAgo(deps, continuityDays), batchLimit)
  await nextTurn()
  const skillUses = await uses.purge(daysAgo(deps, skillUseDays), batchLimit)
  await nextTurn()
  const taskRuns = await deps.store.tables.taskRuns.purge(daysAgo(deps, taskRunDays), batchLimit)
  await nextTurn()
  const documents = await deps.store.tables.documents.purge(daysAgo(deps, deletedDocumentDays), batchLimit)
  await putEventsAside(deps)
  return {
    ...purged,
    history,
    completedJobs,
    deadJobs,
    sessionEvents,
    telemetryEvents,
    recallRecords,
    continuity,
    skillUses,
    taskRuns,
    documents,
  }
}

/** Events by age and number, and what was counted of them by age. */
async function purgeTelemetry(deps: Deps, batchLimit: number): Promise<number> {
  const { telemetry, telemetryCounts } = deps.store.tables
  await telemetryCounts.forget('hour', daysAgo(deps, hoursCountedDays))
  await telemetryCounts.forget('day', daysAgo(deps, telemetryDays))
  const aged = await telemetry.purge(daysAgo(deps, telemetryDays), batchLimit)
  return aged + (await telemetry.keepNewest(maxEvents, batchLimit))
}

/** What a sweep would find for its main steps, each counted up to what one sweep takes. */
export async function dueNow(
  deps: Pick<Deps, 'store' | 'clock'>,
): Promise<Pick<SweepReport, 'tombstones' | 'history' | 'completedJobs' | 'deadJobs'>> {
  const { retention } = deps.store.tables
  const before = { tombstones: daysAgo(deps, retentionDays), history: daysAgo(deps, historyDays) }
  const due = await retention.due(before, defaultBatchLimit)
  const completed = await retention.dueJobs('completed', daysAgo(deps, completedJobDays), defaultBatchLimit)
  const dead = await retention.dueJobs('dead', daysAgo(deps, deadJobDays), defaultBatchLimit)
  return { ...due, completedJobs: completed, deadJobs: dead }
}

/** The events are in the database too: a file that can't be renamed now is no reason to sweep again. */
async function putEventsAside({ paths, log }: Deps): Promise<void> {
  try {
    await rotateEvents(paths.telemetryEvents, maxEventFileBytes)
  } catch (error) {
    log.warn({ err: error }, 'the file of events was not put aside')
  }
}

/** The first steps, for some memories at a time: what is known by them, embeddings, cold copy and rows in one transaction. */
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
