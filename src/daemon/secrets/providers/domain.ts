import * as contract from '../../../contract/secrets/providers.js'
import { tokenKey } from '../../ground/secrets/password-vaults.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { tell } from '../store/tell.js'
import { chooseProvider, connectVaulta, disconnectVaulta, vaultaStatus } from './bitwarden.js'
import { migrate } from './migrate.js'
import { connectVaultb, importVaults, vaultbStatus } from './onepassword.js'

/** Password managers: Bitwarden (`vaulta`) and 1Password (`vaultb`). */
export const secretProviders: Domain = {
  routes: [
    route(contract.vaultaStatusEndpoint, daemon => vaultaStatus(daemon)),
    route(contract.connectVaulta, async (daemon, { caller, body }) => {
      const status = await connectVaulta(daemon, body)
      tell(daemon, caller, 'provider.connected', { provider: 'vaulta', active: status.active })
      return status
    }),
    route(contract.disconnectVaulta, async (daemon, { caller }) => {
      await disconnectVaulta(daemon)
      tell(daemon, caller, 'provider.disconnected', { provider: 'vaulta' })
      return { success: true as const, provider: 'local' as const }
    }),
    route(contract.chooseProvider, async (daemon, { caller, body }) => {
      await chooseProvider(daemon, body)
      tell(daemon, caller, 'provider.chosen', body)
      return { success: true as const, ...body }
    }),
    route(contract.vaultaFolders, async ({ passwordManagers }) => ({
      folders: await passwordManagers.bitwarden.folders(await passwordManagers.session()),
    })),
    route(contract.migrateToVaulta, async (daemon, { caller, body }) => {
      const reply = await migrate(daemon, body)
      const names = reply.secrets.filter(({ done }) => done).map(({ name }) => name)
      if (!reply.dryRun) tell(daemon, caller, 'secrets.migrated', { names, failed: reply.failed })
      return reply
    }),
    route(contract.vaultbStatusEndpoint, daemon => vaultbStatus(daemon)),
    route(contract.connectVaultb, async (daemon, { caller, body }) => {
      const status = await connectVaultb(daemon, body)
      tell(daemon, caller, 'provider.connected', { provider: 'vaultb' })
      return status
    }),
    route(contract.disconnectVaultb, async (daemon, { caller }) => {
      await daemon.secrets.store.remove(tokenKey)
      tell(daemon, caller, 'provider.disconnected', { provider: 'vaultb' })
      return { success: true as const }
    }),
    route(contract.vaultbVaults, async ({ passwordManagers }) => ({
      vaults: await passwordManagers.onePassword.vaults(await passwordManagers.token()),
    })),
    route(contract.importFromVaultb, async (daemon, { caller, body }) => {
      const reply = await importVaults(daemon, body)
      const names = reply.secrets.filter(({ done }) => done).map(({ name }) => name)
      if (!reply.dryRun) tell(daemon, caller, 'secrets.imported', { names, failed: reply.failed })
      return reply
    }),
  ],
}
