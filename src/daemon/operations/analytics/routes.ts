import type { Reply } from '../../../contract/api.js'
import type { MetricGroup } from '../../../contract/ground/endpoint.js'
import type { ContinuitySummary, Percentiles } from '../../../contract/operations/analytics.js'
import * as contract from '../../../contract/operations/analytics.js'
import type { ContinuityFilter } from '../../../store/tables/sessions/continuity-scores.js'
import { agentOf, assertInScope, type NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { statusClasses } from '../../platform/counts/request-counts.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'

/** Log categories in which a memory change can fail. */
const stages = ['memory', 'storage', 'index'] as const

type ContinuityDeps = Pick<Daemon, 'store'>
type Query = NamedAgent & { project?: string | undefined }

/** The latest score of each project is looked up among this many newest scores. */
const maxLatest = 2000
/** With fewer scores the trend is null. */
const minForTrend = 4

export const routes = [
  route(contract.usage, async daemon => usageOf(daemon)),
  route(contract.days, async ({ requestCounts, clock }, { query }) => ({
    days: requestCounts.daily.last(query.days, clock()),
  })),
  route(contract.latency, async daemon => ({
    remember: percentilesOf(daemon, 'remember'),
    recall: percentilesOf(daemon, 'recall'),
    mutate: percentilesOf(daemon, 'mutate'),
  })),
  route(contract.errors, async (daemon, { query }) => faultsOf(daemon, query)),
  route(contract.memorySafety, async daemon => memorySafetyOf(daemon)),
  route(contract.continuity, (daemon, { caller, query }) => continuityOf(daemon, caller, query)),
  route(contract.latestContinuity, (daemon, { caller, query }) => latestContinuity(daemon, caller, query)),
]

type Faults = Reply<'GET /api/analytics/errors'>

interface FaultQuery {
  stage?: string | undefined
  /** ISO 8601, inclusive. */
  since?: string | undefined
  limit: number
}

/**
 * `GET /api/analytics/errors`: the warnings and errors still in the log buffer, newest first (telemetry.md
 * 2).
 */
function faultsOf({ recentLogs }: Pick<Daemon, 'recentLogs'>, { stage, since, limit }: FaultQuery): Faults {
  const found = recentLogs.faults({ category: stage, since })
  const byStage: Record<string, number> = {}
  for (const { category } of found) byStage[category] = (byStage[category] ?? 0) + 1
  return {
    errors: found
      .slice(-limit)
      .reverse()
      .map(({ category, message, at }) => ({ stage: category, message, at })),
    summary: { total: found.length, byStage },
  }
}

/** `GET /api/analytics/memory-safety` (telemetry.md 2). */
function memorySafetyOf(
  daemon: Pick<Daemon, 'recentLogs' | 'requestCounts'>,
): Reply<'GET /api/analytics/memory-safety'> {
  const { requestCounts } = daemon
  const found = stages.map(stage => faultsOf(daemon, { stage, limit: 50 }))
  const failed = requestCounts
    .endpoints()
    .filter(({ isMutation }) => isMutation)
    .reduce((sum, { byStatus }) => sum + byStatus['5xx'], 0)
  return {
    mutation: { ...percentilesOf(daemon, 'mutate'), errors: failed },
    recentErrors: found
      .flatMap(({ errors }) => errors)
      .sort((a, b) => b.at.localeCompare(a.at))
      .slice(0, 50),
    errorSummary: {
      total: found.reduce((sum, { summary }) => sum + summary.total, 0),
      byStage: Object.assign({}, ...found.map(({ summary }) => summary.byStage)),
    },
  }
}

type Deps = Pick<Daemon, 'requestCounts' | 'startedAt' | 'clock'>

/** `GET /api/analytics/usage`: counts by route, never the content of requests (telemetry.md 2). */
function usageOf({ requestCounts, startedAt, clock }: Deps): Reply<'GET /api/analytics/usage'> {
  const counted = requestCounts.endpoints().map(({ method, route, byStatus, totalMs }) => {
    const count = statusClasses.reduce((sum, word) => sum + byStatus[word], 0)
    const errors = byStatus['4xx'] + byStatus['5xx']
    return { method, route, count, errors, averageMs: Math.round((totalMs / count) * 100) / 100, byStatus }
  })
  const sumOf = (word: (typeof statusClasses)[number]): number =>
    counted.reduce((sum, { byStatus }) => sum + byStatus[word], 0)
  const byStatus = { '2xx': sumOf('2xx'), '3xx': sumOf('3xx'), '4xx': sumOf('4xx'), '5xx': sumOf('5xx') }
  return {
    since: startedAt.toISOString(),
    requests: { total: counted.reduce((sum, { count }) => sum + count, 0), byStatus },
    memory: { ...requestCounts.memory },
    injected: { ...requestCounts.injected.all(), today: requestCounts.injected.today(clock()) },
    endpoints: counted.map(({ byStatus: _byStatus, ...shown }) => shown).sort((a, b) => b.count - a.count),
  }
}

/** Latency percentiles of a group of requests, in milliseconds. */
function percentilesOf({ requestCounts }: Pick<Daemon, 'requestCounts'>, group: MetricGroup): Percentiles {
  const latency = requestCounts.latency(group)
  return {
    count: latency.count,
    p50: latency.percentile(50),
    p95: latency.percentile(95),
    p99: latency.percentile(99),
  }
}

/** `GET /api/analytics/continuity` (telemetry.md 7). */
async function continuityOf(
  { store }: ContinuityDeps,
  caller: Caller,
  { limit, ...query }: Query & { limit: number },
): Promise<Reply<'GET /api/analytics/continuity'>> {
  const filter = readable(caller, query)
  const rows = filter ? await store.tables.continuityScores.newest(filter, limit) : []
  const scores = rows.map(({ agent_id: _agent, ...row }) => row)
  return { scores, summary: summaryOf(scores.map(({ score }) => score)) }
}

/** `GET /api/analytics/continuity/latest`. */
async function latestContinuity(
  { store }: ContinuityDeps,
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
