import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type { migrateToBitwarden } from '../../../contract/secrets/providers.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'secrets' | 'passwordManagers'>
type Options = z.infer<(typeof migrateToBitwarden)['body']>
type Reply = z.input<(typeof migrateToBitwarden)['response']>
type MigratedSecret = Reply['secrets'][number]

/**
 * Copies the local secrets to Bitwarden, one by one. Items that already have the same value are not written,
 * so an interrupted migration can be repeated. A local secret is deleted only after Bitwarden returned its
 * value (password-managers.md 2.3).
 * @throws AppError `conflict` when Bitwarden is not connected, and the errors of the local store
 */
export async function migrate(deps: Deps, options: Options): Promise<Reply> {
  const { store } = deps.secrets
  const known = new Set(await deps.passwordManagers.provider.names())
  const secrets: MigratedSecret[] = []
  for (const name of await store.names())
    secrets.push(await move(deps, { name, isThere: known.has(name) }, options))
  return {
    dryRun: options.dryRun,
    secrets,
    migrated: secrets.filter(({ done }) => done).length,
    failed: secrets.filter(({ error }) => error !== undefined).length,
  }
}

interface LocalSecret {
  name: string
  /** Whether Bitwarden has an item with that name. */
  isThere: boolean
}

async function move(
  { secrets, passwordManagers }: Deps,
  { name, isThere }: LocalSecret,
  options: Options,
): Promise<MigratedSecret> {
  const { store } = secrets
  const vault = passwordManagers.provider
  const fate: MigratedSecret = { name, action: 'create', done: false, localDeleted: false }
  try {
    const value = await store.get(name)
    if (value === undefined) throw new AppError('not_found', 'it was deleted during the migration')
    const there = isThere ? await vault.get(name) : undefined
    fate.action = actionOf(value, there, options.overwrite)
    if (options.dryRun || fate.action === 'differs') return fate
    if (fate.action === 'create') await vault.create(name, value)
    if (fate.action === 'overwrite') await vault.set(name, value)
    if ((await vault.get(name)) !== value)
      throw new AppError('provider_failed', 'Bitwarden returned another value; the local one is kept')
    fate.done = true
    if (options.deleteLocal) fate.localDeleted = await removeUnchanged(store, name, value)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    fate.error = error.message
  }
  return fate
}

/**
 * Returns the action for copying `value` over `there`, undefined if it does not exist (password-managers.md
 * 2.3).
 */
export function actionOf(
  value: string,
  there: string | undefined,
  overwrite: boolean,
): MigratedSecret['action'] {
  if (there === undefined) return 'create'
  if (there === value) return 'same'
  return overwrite ? 'overwrite' : 'differs'
}

/** Keeps a value that changed while Bitwarden was asked. */
async function removeUnchanged(
  store: Deps['secrets']['store'],
  name: string,
  value: string,
): Promise<boolean> {
  return (await store.get(name)) === value && (await store.remove(name))
}
