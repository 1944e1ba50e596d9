import * as contract from '../../../contract/agents/skills.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { createRunsWorker, runningKeys } from '../programs/open-runs.js'
import { tidyStaging } from './install-skill.js'

/** Skills of the workspace (skills.md). */
export const skills: Domain = {
  routes: lateRoutes(
    [
      contract.listSkills,
      contract.searchSkills,
      contract.getSkill,
      contract.installSkill,
      contract.removeSkill,
      contract.recordSkillUse,
      contract.skillAnalytics,
    ],
    () => import('./routes.js'),
  ),
  workers: [createRunsWorker],
  recover: async daemon => {
    if (runningKeys(daemon, 'skill ').length === 0) await tidyStaging(daemon)
  },
}
