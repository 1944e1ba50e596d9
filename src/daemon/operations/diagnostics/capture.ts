import { stat } from 'node:fs/promises'
import type { TranscriptCapture } from '../../../contract/operations/diagnostics.js'
import type { AgentAges } from '../../../store/tables/operations/survey-counts.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { synthesisJob } from '../../sessions/synthesis/synthesis-worker.js'
import { recordFiles } from '../../sessions/transcripts/transcript-message.js'
import { isConfined } from './findings/finding.js'
import type { SurveyQuery } from './report.js'
import { type SurveyWithIndexes, surveysOf } from './survey/surveys.js'

/**
 * Health of the capture of conversations (operations.md 3.3): counts and ages, of all agents or the named
 * one.
 * @throws AppError `scope_violation` for another agent than the credential's.
 */
export async function captureDiagnostics(
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
