/**
 * The secrets area: values that programs use and that nobody reads back (secrets.md).
 *
 * `store/` (here) sets, lists and deletes secrets; `providers/` connects Bitwarden and 1Password; `exec/`
 * runs commands with secrets in their environment and removes the values from their output. A value comes in
 * once and goes out only to a child process. No endpoint returns one in the clear, and no log line contains
 * one. Encryption and the file of the store are in `src/store/secrets`.
 */

import * as contract from '../../../contract/secrets/store.js'
import * as workspaceKey from '../../../contract/secrets/workspace-key.js'
import type { Domain } from '../../platform/domain.js'
import { lateRoutes } from '../../platform/http/bind-all.js'

export const secretStore: Domain = {
  routes: lateRoutes(
    [
      contract.listSecrets,
      contract.storeSecret,
      contract.deleteSecret,
      contract.secretStoreStatus,
      contract.protectSecrets,
      contract.unlockSecrets,
      contract.rotateSecrets,
      contract.exportSecrets,
      contract.importSecrets,
      workspaceKey.workspaceKeyStatus,
      workspaceKey.setWorkspaceKey,
      workspaceKey.showWorkspaceIdentity,
    ],
    () => import('./routes.js'),
  ),
  recover: async ({ secrets }) => secrets.store.clean(),
}
