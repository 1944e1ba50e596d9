import { stat } from 'node:fs/promises'
import { AppError } from '../../../contract/ground/errors.js'
import type {
  ContentSafetyList,
  DatabaseSchema,
  SafetySourceKind,
  SafetyStatus,
  TableSample,
  TranscriptCapture,
} from '../../../contract/operations/diagnostics.js'
import * as contract from '../../../contract/operations/diagnostics.js'
import type { AgentAges } from '../../../store/tables/operations/survey-counts.js'
import { agentOf, type NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { policyVersion } from '../../safety/verdict-columns.js'
import { synthesisJob } from '../../sessions/synthesis/synthesis-worker.js'
import { recordFiles } from '../../sessions/transcripts/transcript-message.js'
import { isConfined } from './findings/finding.js'
import { diagnosticsDomain, diagnosticsReport, type SurveyQuery, workloadsOf } from './report.js'
import { type SurveyWithIndexes, surveysOf } from './survey/surveys.js'

export const routes = [
  route(contract.diagnosticsReport, (daemon, { caller, query }) => diagnosticsReport(daemon, caller, query)),
  route(contract.workloads, async (daemon, { caller, query }) => workloadsOf(daemon, caller, query)),
  route(contract.transcriptCapture, (daemon, { caller, query }) => captureDiagnostics(daemon, caller, query)),
  route(contract.contentSafetyList, (daemon, { caller, query }) => contentSafetyList(daemon, caller, query)),
  route(contract.databaseSchema, (daemon, { caller, query }) => databaseSchema(daemon, caller, query)),
  route(contract.tableSample, (daemon, { caller, params, query }) =>
    tableSample(daemon, caller, { ...query, ...params }),
  ),
  route(contract.diagnosticsDomain, (daemon, { caller, params, query }) =>
    diagnosticsDomain(daemon, caller, query, params.domain),
  ),
]

export type SafetyQuery = NamedAgent & {
  status?: SafetyStatus | undefined
  sourceKind?: SafetySourceKind | undefined
  limit: number
  offset: number
}

/**
 * Content safety verdicts with their reasons, never the text (content-safety.md#who-sees-the-verdicts).
 * @throws AppError `scope_violation` for another agent than the credential's, or a credential confined to a
 * project or author.
 */
async function contentSafetyList(
  daemon: Daemon,
  caller: Caller,
  { status, sourceKind, limit, offset, ...named }: SafetyQuery,
): Promise<ContentSafetyList> {
  const agentId = agentOf(caller, named) ?? null
  const { project, user } = caller.access.scope
  if (project !== undefined || user !== undefined)
    throw new AppError(
      'scope_violation',
      'verdicts are listed across projects and authors; use a credential that is confined to neither',
    )
  const answer = await surveysOf(daemon).ask('safety', { agentId, status, sourceKind, limit, offset })
  return { agentId, policyVersion, ...answer, limit, offset }
}

/**
 * The tables of the database with row counts. @throws AppError `scope_violation` for another agent than the
 * credential's.
 */
async function databaseSchema(daemon: Daemon, caller: Caller, query: NamedAgent): Promise<DatabaseSchema> {
  agentOf(caller, query)
  return surveysOf(daemon).ask('schema', daemon.clock().toISOString())
}

/**
 * Some rows of a table, of all owners.
 * @throws AppError `scope_violation` for a credential confined to an agent, project or author; `not_found`
 * and `validation_failed` for a table that does not exist or is not shown.
 */
async function tableSample(
  daemon: Daemon,
  caller: Caller,
  { table, limit, offset, ...named }: NamedAgent & { table: string; limit: number; offset: number },
): Promise<TableSample> {
  agentOf(caller, named)
  if (isConfined(caller))
    throw new AppError(
      'scope_violation',
      'rows of tables belong to all agents, projects and authors; use a credential that is not confined',
    )
  return surveysOf(daemon).ask('sample', table, { limit, offset })
}

/**
 * Health of the capture of conversations (operations.md 3.3): counts and ages, of all agents or the named
 * one.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
async function captureDiagnostics(
  daemon: Daemon,
  caller: Caller,
  query: SurveyQuery,
): Promise<TranscriptCapture> {
  const agentId = agentOf(caller, query) ?? null
  const surveys = surveysOf(daemon)
  const survey = await (query.refresh ? surveys.fresh() : surveys.newest())
  const now = daemon.clock().getTime()
  const own = <Row extends { agent_id: string }>(rows: readonly Row[]): Row[] =>
    agentId === null ? [...rows] : rows.filter(row => row.agent_id === agentId)
  const { captures, transcripts, compactions, files, nodes } = survey.captures
  const ofStatus = (status: string) => sumOf(own(captures).filter(row => row.status === status))
  const isWhole = agentId === null && !isConfined(caller)
  const open = own(compactions).reduce((sum, row) => sum + row.open, 0)
  const summaries = isWhole ? summaryJobs(survey) : { pending: 0, failed: 0 }
  return {
    agentId,
    countedAt: survey.startedAt,
    queue: {
      queued: ofStatus('queued'),
      running: ofStatus('running'),
      completed: ofStatus('completed'),
      failed: ofStatus('failed'),
    },
    transcripts: agesOf(own(transcripts), now),
    manifests: { count: sumOf(own(compactions)), open },
    artifacts: {
      expected: own(files).reduce((sum, row) => sum + row.expected, 0),
      missing: own(files).reduce((sum, row) => sum + row.missing, 0),
    },
    summaries: { count: sumOf(own(nodes)), pending: open + summaries.pending, failed: summaries.failed },
    audit: { receipts: agesOf(own(captures), now), ...(isWhole && { flat: await flatFiles(daemon) }) },
  }
}

function sumOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function agesOf(rows: readonly AgentAges[], now: number): TranscriptCapture['transcripts'] {
  const oldestAt = rows.map(({ oldest }) => oldest).sort()[0] ?? null
  const newestAt =
    rows
      .map(({ newest }) => newest)
      .sort()
      .at(-1) ?? null
  const age = (at: string | null) => (at === null ? null : Math.max(0, now - Date.parse(at)))
  return { count: sumOf(rows), oldestAt, newestAt, oldestAgeMs: age(oldestAt), newestAgeMs: age(newestAt) }
}

/** One MEMORY.md serves all agents. */
function summaryJobs({ jobs }: SurveyWithIndexes): { pending: number; failed: number } {
  const ofStatus = (...wanted: string[]) =>
    sumOf(jobs.filter(({ kind, status }) => kind === synthesisJob.kind && wanted.includes(status)))
  return { pending: ofStatus('pending', 'leased'), failed: ofStatus('dead') }
}

/** Record files that contain the conversations of all agents. */
async function flatFiles(daemon: Daemon): Promise<TranscriptCapture['audit']['flat']> {
  const found = await Promise.all((await recordFiles(daemon)).map(file => stat(file).catch(() => undefined)))
  const there = found.filter(one => one !== undefined)
  const newest = there.length === 0 ? null : new Date(Math.max(...there.map(({ mtimeMs }) => mtimeMs)))
  return {
    files: there.length,
    bytes: there.reduce((sum, { size }) => sum + size, 0),
    newestAt: newest?.toISOString() ?? null,
  }
}
