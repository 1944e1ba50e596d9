import type { SkillAnalytics, SkillAnalyticsQuery, SkillUseBody } from '../../../contract/agents/skills.js'
import type { Ground } from '../../ground/ground.js'
import { recordSkillUse } from '../../ground/note-skill-use.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'

/**
 * Records a skill use that a caller reports. @throws AppError `scope_violation` for another agent than the
 * credential's.
 */
export async function reportUse(
  deps: Pick<Ground, 'store' | 'clock' | 'newId'>,
  caller: Caller,
  skill: string,
  body: SkillUseBody,
): Promise<{ success: true; name: string }> {
  const agentId = agentOf(caller, body) ?? defaultAgent
  const { success, latencyMs } = body
  await recordSkillUse(deps, { agentId, skill, success, latencyMs, source: 'reported' })
  return { success: true, name: skill }
}

/** Summarises an agent's skill uses since a time (skills.md 6). @throws AppError `scope_violation`. */
export async function analyseUse(
  { store }: Pick<Ground, 'store'>,
  caller: Caller,
  query: SkillAnalyticsQuery,
): Promise<SkillAnalytics> {
  const window = { agentId: agentOf(caller, query) ?? defaultAgent, since: query.since ?? '' }
  const { skillUses } = store.tables
  const most = await skillUses.most(window, query.limit)
  const { allCount = 0, allSuccessCount = 0, allTimed = 0 } = most[0] ?? {}
  const percentile = async (share: number): Promise<number> =>
    allTimed === 0 ? 0 : ((await skillUses.latencyAt(window, Math.ceil(share * allTimed) - 1)) ?? 0)
  return {
    totalCalls: allCount,
    successRate: allCount === 0 ? 0 : allSuccessCount / allCount,
    topSkills: most.map(({ skill, count, successCount, averageMs }) => ({
      skillName: skill,
      count,
      successCount,
      avgLatencyMs: averageMs ?? 0,
    })),
    latency: { p50: await percentile(0.5), p95: await percentile(0.95) },
  }
}
