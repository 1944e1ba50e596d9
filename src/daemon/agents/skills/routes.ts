import { join } from 'node:path'
import type {
  RemoveReply,
  SkillAnalytics,
  SkillAnalyticsQuery,
  SkillUseBody,
} from '../../../contract/agents/skills.js'
import * as contract from '../../../contract/agents/skills.js'
import type { Ground } from '../../ground/ground.js'
import { recordSkillUse } from '../../ground/note-skill-use.js'
import { agentOf } from '../../ground/visibility/boundary.js'
import { type Caller, defaultAgent } from '../../ground/visibility/caller.js'
import { route } from '../../platform/http/bind.js'
import { staysHere } from '../../platform/nodes/held-work.js'
import { runExclusively } from '../programs/runs.js'
import { discardFolder, installSkill, skillLock } from './install-skill.js'
import { moveFolder } from './move-folder.js'
import { getSkill, listSkills } from './read-skills.js'
import { requireSkill } from './skill-folder.js'
import { searchSkills } from './skill-registry.js'

export const routes = [
  route(contract.listSkills, async daemon => {
    const stays = await staysHere(daemon)
    return { ...(await listSkills(daemon)), ...(stays && { stays }) }
  }),
  route(contract.searchSkills, (daemon, { query }) => searchSkills(daemon, query)),
  route(contract.getSkill, (daemon, { params }) => getSkill(daemon, params.name)),
  route(contract.installSkill, (daemon, { body }) => installSkill(daemon, body)),
  route(contract.removeSkill, (daemon, { params }) => removeSkill(daemon, params.name)),
  route(contract.recordSkillUse, (daemon, { caller, params, body }) =>
    reportUse(daemon, caller, params.name, body),
  ),
  route(contract.skillAnalytics, (daemon, { caller, query }) => analyseUse(daemon, caller, query)),
]

/**
 * Removes an installed skill in one step and deletes its files afterwards. For a link, only the link is
 * removed.
 * @throws AppError as `requireSkill`, `conflict` while it is being installed.
 */
function removeSkill(
  deps: Pick<Ground, 'store' | 'paths' | 'newId' | 'log'>,
  name: string,
): Promise<RemoveReply> {
  return runExclusively(deps, skillLock(name), async () => {
    const { folder } = await requireSkill(deps, name)
    const staging = join(deps.paths.skillStaging, deps.newId())
    await moveFolder(folder, join(staging, 'removed'))
    // The skill is already gone for every reader at this point.
    await discardFolder(deps, staging)
    return { success: true, name, message: `skill ${name} removed` }
  })
}

/**
 * Records a skill use that a caller reports. @throws AppError `scope_violation` for another agent than the
 * credential's.
 */
async function reportUse(
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
async function analyseUse(
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
