import * as analytics from '../../../contract/agents/skill-analytics.js'
import * as contract from '../../../contract/agents/skills.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { createRunsEnd, underWay } from '../programs/open-runs.js'
import { installSkill, tidyStaging } from './install-skill.js'
import { getSkill, listSkills } from './read-skills.js'
import { removeSkill } from './remove-skill.js'
import { searchSkills } from './skill-registry.js'
import { analyseUse, reportUse } from './skill-usage.js'

/** Skills of the workspace (skills.md). */
export const skills: Domain = {
  routes: [
    route(contract.listSkills, daemon => listSkills(daemon)),
    route(contract.searchSkills, (daemon, { query }) => searchSkills(daemon, query)),
    route(contract.getSkill, (daemon, { params }) => getSkill(daemon, params.name)),
    route(contract.installSkill, (daemon, { body }) => installSkill(daemon, body)),
    route(contract.removeSkill, (daemon, { params }) => removeSkill(daemon, params.name)),
    route(analytics.recordSkillUse, (daemon, { caller, params, body }) =>
      reportUse(daemon, caller, params.name, body),
    ),
    route(analytics.skillAnalytics, (daemon, { caller, query }) => analyseUse(daemon, caller, query)),
  ],
  workers: [createRunsEnd],
  recover: async daemon => {
    if (underWay(daemon, 'skill ').length === 0) await tidyStaging(daemon)
  },
}
