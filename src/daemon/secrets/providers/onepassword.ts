import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { secretProvider } from '../../../contract/ground/wire-names.js'
import { secretValue, storableName } from '../../../contract/secrets/names.js'
import type * as contract from '../../../contract/secrets/providers.js'
import { tokenKey, type Vault } from '../../ground/secrets/password-vaults.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { actionOf } from './migrate.js'

type Deps = Pick<Daemon, 'secrets' | 'passwordManagers'>
type Status = z.input<(typeof contract.onePasswordStatusEndpoint)['response']>
type Options = z.infer<(typeof contract.importFromOnePassword)['body']>
type Reply = z.input<(typeof contract.importFromOnePassword)['response']>
type ImportedSecret = Reply['secrets'][number]

/** Returns the state of 1Password; a missing or failing program is reported in `problem`. */
export async function onePasswordStatus({ secrets, passwordManagers }: Deps): Promise<Status> {
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
export async function connectOnePassword(
  deps: Deps,
  { token }: z.infer<(typeof contract.connectOnePassword)['body']>,
): Promise<Status & { success: true }> {
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
export async function importVaults(deps: Deps, options: Options): Promise<Reply> {
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
