import { secretProvider } from '../../../contract/ground/wire-names.js'
import * as contract from '../../../contract/secrets/providers.js'
import { tokenKey } from '../../ground/secrets/password-vaults.js'
import { route } from '../../platform/http/bind.js'
import { recordSecretEvent } from '../store/record-secret-event.js'
import { bitwardenStatus, chooseProvider, connectBitwarden, disconnectBitwarden } from './bitwarden.js'
import { migrate } from './migrate.js'
import { connectOnePassword, importVaults, onePasswordStatus } from './onepassword.js'

export const routes = [
  route(contract.bitwardenStatusEndpoint, daemon => bitwardenStatus(daemon)),
  route(contract.connectBitwarden, async (daemon, { caller, body }) => {
    const status = await connectBitwarden(daemon, body)
    recordSecretEvent(daemon, caller, 'provider.connected', {
      provider: secretProvider.bitwarden,
      active: status.active,
    })
    return status
  }),
  route(contract.disconnectBitwarden, async (daemon, { caller }) => {
    await disconnectBitwarden(daemon)
    recordSecretEvent(daemon, caller, 'provider.disconnected', { provider: secretProvider.bitwarden })
    return { success: true as const, provider: 'local' as const }
  }),
  route(contract.chooseProvider, async (daemon, { caller, body }) => {
    await chooseProvider(daemon, body)
    recordSecretEvent(daemon, caller, 'provider.chosen', body)
    return { success: true as const, ...body }
  }),
  route(contract.bitwardenFolders, async ({ passwordManagers }) => ({
    folders: await passwordManagers.bitwarden.folders(await passwordManagers.session()),
  })),
  route(contract.migrateToBitwarden, async (daemon, { caller, body }) => {
    const reply = await migrate(daemon, body)
    const names = reply.secrets.filter(({ done }) => done).map(({ name }) => name)
    if (!reply.dryRun) recordSecretEvent(daemon, caller, 'secrets.migrated', { names, failed: reply.failed })
    return reply
  }),
  route(contract.onePasswordStatusEndpoint, daemon => onePasswordStatus(daemon)),
  route(contract.connectOnePassword, async (daemon, { caller, body }) => {
    const status = await connectOnePassword(daemon, body)
    recordSecretEvent(daemon, caller, 'provider.connected', { provider: secretProvider.onePassword })
    return status
  }),
  route(contract.disconnectOnePassword, async (daemon, { caller }) => {
    await daemon.secrets.store.remove(tokenKey)
    recordSecretEvent(daemon, caller, 'provider.disconnected', { provider: secretProvider.onePassword })
    return { success: true as const }
  }),
  route(contract.onePasswordVaults, async ({ passwordManagers }) => ({
    vaults: await passwordManagers.onePassword.vaults(await passwordManagers.token()),
  })),
  route(contract.importFromOnePassword, async (daemon, { caller, body }) => {
    const reply = await importVaults(daemon, body)
    const names = reply.secrets.filter(({ done }) => done).map(({ name }) => name)
    if (!reply.dryRun) recordSecretEvent(daemon, caller, 'secrets.imported', { names, failed: reply.failed })
    return reply
  }),
]
