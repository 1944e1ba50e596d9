import { join } from 'node:path'
import type { RemoveReply } from '../../../contract/agents/skills.js'
import type { Ground } from '../../ground/ground.js'
import { runAlone } from '../programs/open-runs.js'
import { aloneWith, discard } from './install-skill.js'
import { moveFolder } from './move-folder.js'
import { requireSkill } from './skill-folder.js'

/**
 * Removes an installed skill: it is gone in one step, its files go after that. Of a link the link goes, not what it
 * leads to. @throws AppError as `requireSkill`, `conflict` while it is being installed.
 */
export function removeSkill(
  deps: Pick<Ground, 'paths' | 'newId' | 'log'>,
  name: string,
): Promise<RemoveReply> {
  return runAlone(deps, aloneWith(name), async () => {
    const { folder } = await requireSkill(deps, name)
    const staging = join(deps.paths.skillStaging, deps.newId())
    await moveFolder(folder, join(staging, 'removed'))
    // It is removed for everybody by now.
    await discard(deps, staging)
    return { success: true, name, message: `the skill ${name} is removed` }
  })
}
