import { join } from 'node:path'
import type { RemoveReply } from '../../../contract/agents/skills.js'
import * as contract from '../../../contract/agents/skills.js'
import type { Ground } from '../../ground/ground.js'
import { route } from '../../platform/http/bind.js'
import { staysHere } from '../../platform/nodes/held-work.js'
import { runExclusively } from '../programs/open-runs.js'
import { discardFolder, installSkill, skillLock } from './install-skill.js'
import { moveFolder } from './move-folder.js'
import { getSkill, listSkills } from './read-skills.js'
import { requireSkill } from './skill-folder.js'
import { searchSkills } from './skill-registry.js'
import { analyseUse, reportUse } from './skill-usage.js'

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
