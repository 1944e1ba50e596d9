import type { Reply } from '../../../contract/api.js'
import type { ContinuitySummary } from '../../../contract/operations/analytics.js'
import type { ContinuityFilter } from '../../../store/tables/sessions/continuity-scores.js'
import { agentOf, assertInScope, type NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store'>
type Query = NamedAgent & { project?: string | undefined }

/** The latest score of each project is looked up among this many newest scores. */
const maxLatest = 2000
/** With fewer scores the trend is null. */
const minForTrend = 4

/** `GET /api/analytics/continuity` (telemetry.md 7). */
export async function continuityOf(
  { store }: Deps,
  caller: Caller,
  { limit, ...query }: Query & { limit: number },
): Promise<Reply<'GET /api/analytics/continuity'>> {
  const filter = readable(caller, query)
  const rows = filter ? await store.tables.continuityScores.newest(filter, limit) : []
  const scores = rows.map(({ agent_id: _agent, ...row }) => row)
  return { scores, summary: summaryOf(scores.map(({ score }) => score)) }
}

/** `GET /api/analytics/continuity/latest`. */
export async function latestContinuity(
  { store }: Deps,
  caller: Caller,
  query: NamedAgent,
): Promise<Reply<'GET /api/analytics/continuity/latest'>> {
  const filter = readable(caller, query)
  const rows = filter ? await store.tables.continuityScores.newest(filter, maxLatest) : []
  const latest = new Map<string | null, (typeof rows)[number]>()
  for (const row of rows) if (!latest.has(row.project)) latest.set(row.project, row)
  return {
    scores: [...latest.values()].map(({ project, score, created_at }) => ({ project, score, created_at })),
  }
}

/**
 * @returns undefined for a credential confined to a user: sessions have no user. @throws AppError
 * `scope_violation`
 */
function readable(caller: Caller, query: Query): ContinuityFilter | undefined {
  const { scope } = caller.access
  assertInScope(scope, 'project', query.project)
  const agentId = agentOf(caller, query)
  return scope.user === undefined ? { agentId, project: query.project ?? scope.project } : undefined
}

/** @param scores newest first */
export function summaryOf(scores: readonly number[]): ContinuitySummary {
  const newer = scores.slice(0, Math.floor(scores.length / 2))
  const older = scores.slice(Math.ceil(scores.length / 2))
  return {
    count: scores.length,
    average: scores.length > 0 ? rounded(mean(scores)) : null,
    trend: scores.length >= minForTrend ? rounded(mean(newer) - mean(older)) : null,
    latest: scores[0] ?? null,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
