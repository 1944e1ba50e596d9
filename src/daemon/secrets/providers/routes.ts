import type { z } from 'zod'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import { secretProvider } from '../../../contract/ground/wire-names.js'
import { secretValue, storableName } from '../../../contract/secrets/names.js'
import * as contract from '../../../contract/secrets/providers.js'
import { sessionKey, tokenKey, type Vault } from '../../ground/secrets/password-vaults.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { route } from '../../platform/http/bind.js'
import { staysHere } from '../../platform/nodes/held-work.js'
import { recordSecretEvent } from '../store/record-secret-event.js'
import { actionOf, migrate } from './migrate.js'

export const routes = [
  route(contract.bitwardenStatusEndpoint, async daemon => ({
    ...(await bitwardenStatus(daemon)),
    stays: await staysHere(daemon),
  })),
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
  route(contract.onePasswordStatusEndpoint, async daemon => ({
    ...(await onePasswordStatus(daemon)),
    stays: await staysHere(daemon),
  })),
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

type Deps = Pick<Daemon, 'secrets' | 'passwordManagers'>
type Status = z.input<(typeof contract.bitwardenStatusEndpoint)['response']>

type OnepasswordStatus = z.input<(typeof contract.onePasswordStatusEndpoint)['response']>
type Options = z.infer<(typeof contract.importFromOnePassword)['body']>
type Reply = z.input<(typeof contract.importFromOnePassword)['response']>
type ImportedSecret = Reply['secrets'][number]

/** Returns the state of Bitwarden; a missing or failing program is reported in `problem`. */
async function bitwardenStatus({ secrets, passwordManagers }: Deps): Promise<Status> {
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
async function connectBitwarden(
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
async function disconnectBitwarden({ secrets, passwordManagers }: Deps): Promise<void> {
  passwordManagers.state.change({ active: 'local', folderId: null, items: {} })
  await secrets.store.remove(sessionKey)
}

/** @throws AppError `conflict` when Bitwarden is not connected */
async function chooseProvider(
  { passwordManagers }: Deps,
  { provider }: z.infer<(typeof contract.chooseProvider)['body']>,
): Promise<void> {
  if (provider === secretProvider.bitwarden) await passwordManagers.session()
  passwordManagers.state.change({ active: provider })
}

/** Returns the state of 1Password; a missing or failing program is reported in `problem`. */
async function onePasswordStatus({ secrets, passwordManagers }: Deps): Promise<OnepasswordStatus> {
  const token = await secrets.store.get(tokenKey)
  const known = { provider: secretProvider.onePassword, connected: token !== undefined }
  if (token === undefined) return { ...known, vaults: [], problem: null }
  try {
    return { ...known, vaults: await passwordManagers.onePassword.vaults(token), problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...known, vaults: [], problem: error.message }
  }
}

/**
 * Stores a token after checking that it lists vaults. @throws AppError `provider_failed` with the program's
 * message
 */
async function connectOnePassword(
  deps: Deps,
  { token }: z.infer<(typeof contract.connectOnePassword)['body']>,
): Promise<OnepasswordStatus & { success: true }> {
  const vaults = await deps.passwordManagers.onePassword.vaults(token)
  await deps.secrets.store.set(tokenKey, token)
  return { success: true, provider: secretProvider.onePassword, connected: true, vaults, problem: null }
}

/**
 * Copies the hidden fields of vaults into the local store. Names consist of prefix, item and, for items with
 * several hidden fields, the field.
 * @throws AppError `conflict` when 1Password is not connected, `not_found` for an unknown vault,
 * `provider_failed`
 */
async function importVaults(deps: Deps, options: Options): Promise<Reply> {
  const { onePassword } = deps.passwordManagers
  const token = await deps.passwordManagers.token()
  const vaults = vaultsNamed(await onePassword.vaults(token), options.vaults)
  const secrets: ImportedSecret[] = []
  const taken = new Set<string>()
  for (const vault of vaults)
    for (const item of await onePassword.items(token, vault.id)) {
      const fields = await onePassword.hiddenFields(token, vault.id, item.id)
      for (const { label, value } of fields) {
        const name = nameOf(options.prefix, item.title, fields.length > 1 ? label : '')
        const place = { vault: vault.name, item: item.title, field: label }
        secrets.push({ ...place, ...(await storeField(deps, { name, value, taken }, options)) })
      }
    }
  return {
    dryRun: options.dryRun,
    secrets,
    imported: secrets.filter(({ done }) => done).length,
    failed: secrets.filter(({ error }) => error !== undefined).length,
  }
}

function vaultsNamed(all: readonly Vault[], wanted: readonly string[]): Vault[] {
  return wanted.map(word => {
    const found = all.find(({ id, name }) => id === word || name === word)
    if (found) return found
    const names = all.map(({ name }) => name).join(', ') || 'none'
    throw new AppError('not_found', `1Password has no vault ${word} for this token; it opens: ${names}`)
  })
}

/** Makes a valid variable name: `GitHub (work)` and `token` give GITHUB_WORK_TOKEN. */
function nameOf(prefix: string, item: string, field: string): string {
  const words = [item, field].filter(Boolean).join('_').normalize('NFKD').toUpperCase()
  const name = `${prefix}${words.replaceAll(/[^A-Z0-9]+/gu, '_').replaceAll(/^_+|_+$/gu, '')}`
  return /^\d/u.test(name) ? `_${name}` : name
}

interface FieldToImport {
  name: string
  value: string
  /** Names already used in this import. */
  taken: Set<string>
}

async function storeField(
  { secrets: { store } }: Deps,
  { name, value, taken }: FieldToImport,
  { overwrite, dryRun }: Options,
): Promise<Omit<ImportedSecret, 'vault' | 'item' | 'field'>> {
  const refused = refusal(name, value, taken)
  if (refused !== undefined) return { name, action: 'invalid', done: false, error: refused }
  taken.add(name)
  const action = actionOf(value, await store.get(name), overwrite)
  const stores = !dryRun && (action === 'create' || action === 'overwrite')
  if (stores) await store.set(name, value)
  return { name, action, done: stores }
}

function refusal(name: string, value: string, taken: ReadonlySet<string>): string | undefined {
  if (taken.has(name))
    return 'another field of this import has the same name; rename one of them in 1Password'
  const faults = [storableName.safeParse(name), secretValue.safeParse(value)]
  return faults.find(({ success }) => !success)?.error?.issues[0]?.message
}
