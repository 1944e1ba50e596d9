import type { Reply } from '../../../contract/api.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { percentilesOf } from './usage.js'

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
export function faultsOf(
  { recentLogs }: Pick<Daemon, 'recentLogs'>,
  { stage, since, limit }: FaultQuery,
): Faults {
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

/** Log categories in which a memory change can fail. */
const stages = ['memory', 'storage', 'index'] as const

/** `GET /api/analytics/memory-safety` (telemetry.md 2). */
export function memorySafetyOf(
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
