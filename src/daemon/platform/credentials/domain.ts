import * as contract from '../../../contract/platform/auth.js'
import type { Domain } from '../domain.js'
import { lateRoutes } from '../http/bind-all.js'

export const credentials: Domain = {
  routes: lateRoutes(
    [
      contract.issueToken,
      contract.whoami,
      contract.login,
      contract.ssoLogin,
      contract.samlLogin,
      contract.createApiKey,
      contract.listApiKeys,
      contract.revokeApiKey,
    ],
    () => import('./routes.js'),
  ),
}
