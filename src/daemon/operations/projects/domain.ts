import * as contract from '../../../contract/operations/projects.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

/** Lists and changes projects (docs/projects.md). `ground/projects` resolves them in other requests. */
export const projects: Domain = {
  routes: lateRoutes(
    [
      contract.listProjects,
      contract.changeProject,
      contract.joinProjects,
      contract.splitProject,
      contract.undoProjectChange,
      contract.adoptProjects,
      contract.forgetProject,
    ],
    () => import('./routes.js'),
  ),
  recover: daemon => daemon.projects.ready(),
}
