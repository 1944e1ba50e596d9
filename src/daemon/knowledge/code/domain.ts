import * as contract from '../../../contract/knowledge/code.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'
import { codeIndexJob } from './index-runs.js'
import { createProjects } from './projects.js'

/** The code index: symbols of projects and the references between them (code-index.md). */
export const code: Domain = {
  routes: lateRoutes(
    [
      contract.codeStatus,
      contract.codeSearch,
      contract.codeContext,
      contract.codeBlast,
      contract.codeConstants,
      contract.codeBriefing,
      contract.codeDoctor,
      contract.codeMoved,
      contract.codeIndex,
      contract.codeCancel,
      contract.codeClear,
    ],
    () => import('./routes.js'),
  ),
  jobs: [codeIndexJob],
  workers: [createProjects],
}
