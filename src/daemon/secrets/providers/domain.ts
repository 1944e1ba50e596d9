import * as contract from '../../../contract/secrets/providers.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

export const secretProviders: Domain = {
  routes: lateRoutes(
    [
      contract.bitwardenStatusEndpoint,
      contract.connectBitwarden,
      contract.disconnectBitwarden,
      contract.chooseProvider,
      contract.bitwardenFolders,
      contract.migrateToBitwarden,
      contract.onePasswordStatusEndpoint,
      contract.connectOnePassword,
      contract.disconnectOnePassword,
      contract.onePasswordVaults,
      contract.importFromOnePassword,
    ],
    () => import('./routes.js'),
  ),
}
