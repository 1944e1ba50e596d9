import type { z } from 'zod'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import { secretProvider } from '../../../contract/ground/wire-names.js'
import type * as contract from '../../../contract/secrets/providers.js'
import { sessionKey } from '../../ground/secrets/password-vaults.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'secrets' | 'passwordManagers'>
type Status = z.input<(typeof contract.bitwardenStatusEndpoint)['response']>

/** Returns the state of Bitwarden; a missing or failing program is reported in `problem`. */
export async function bitwardenStatus({ secrets, passwordManagers }: Deps): Promise<Status> {
  const { bitwarden, state } = passwordManagers
  const session = await secrets.store.get(sessionKey)
  const { active, folderId } = state.read()
  const known = {
    provider: secretProvider.bitwarden,
    connected: session !== undefined,
    active: active === secretProvider.bitwarden,
    folderId,
  }
  try {
    return { ...known, ...(await bitwarden.status(session)), problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...known, status: null, serverUrl: null, userEmail: null, problem: error.message }
  }
}

/**
 * Stores a session after checking that it unlocks the vault.
 * @throws AppError `conflict` for a session that does not unlock it, `not_found` for an unknown folder,
 * `provider_failed`
 */
export async function connectBitwarden(
  deps: Deps,
  { session, activate, folderId }: z.infer<(typeof contract.connectBitwarden)['body']>,
): Promise<Status & { success: true }> {
  const { bitwarden, state } = deps.passwordManagers
  const { status } = await bitwarden.status(session)
  if (status !== 'unlocked')
    throw new AppError(
      'conflict',
      status === 'locked'
        ? 'Bitwarden: Vault is locked. The session is not that of the unlocked vault; bw unlock --raw gives a new one'
        : 'Bitwarden: You are not logged in. Run bw login as the user of the daemon, then bw unlock --raw',
    )
  if (folderId !== undefined) await assertFolder(deps, session, folderId)
  await deps.secrets.store.set(sessionKey, session)
  state.change({
    folderId: folderId ?? null,
    items: {},
    ...(activate && { active: secretProvider.bitwarden }),
  })
  return { ...(await bitwardenStatus(deps)), success: true }
}

async function assertFolder({ passwordManagers }: Deps, session: string, folderId: string): Promise<void> {
  const folders = await passwordManagers.bitwarden.folders(session)
  if (folders.some(({ id }) => id === folderId)) return
  throw notFound(`Bitwarden has no folder ${folderId}`, 'memory secrets provider folders shows them')
}

/** Removes the session; local secrets and items in Bitwarden stay. */
export async function disconnectBitwarden({ secrets, passwordManagers }: Deps): Promise<void> {
  passwordManagers.state.change({ active: 'local', folderId: null, items: {} })
  await secrets.store.remove(sessionKey)
}

/** @throws AppError `conflict` when Bitwarden is not connected */
export async function chooseProvider(
  { passwordManagers }: Deps,
  { provider }: z.infer<(typeof contract.chooseProvider)['body']>,
): Promise<void> {
  if (provider === secretProvider.bitwarden) await passwordManagers.session()
  passwordManagers.state.change({ active: provider })
}
