import * as contract from '../../../contract/agents/plugins.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

export const plugins: Domain = {
  recover: daemon => daemon.plugins.refresh(),
  routes: lateRoutes(
    [
      contract.listPlugins,
      contract.listPromptContributions,
      contract.readPluginAudit,
      contract.getPlugin,
      contract.diagnosePlugin,
      contract.changePlugin,
    ],
    () => import('./routes.js'),
  ),
}
