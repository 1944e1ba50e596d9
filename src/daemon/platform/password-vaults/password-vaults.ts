import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { secretProvider, secretScheme } from '../../../contract/ground/wire-names.js'
import { secretName } from '../../../contract/secrets/names.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'
import type { Ground } from '../../ground/ground.js'
import {
  type Bitwarden,
  type BitwardenItem,
  type BitwardenProvider,
  type PasswordManagers,
  type ProviderState,
  type ProviderStateFile,
  sessionKey,
  tokenKey,
} from '../../ground/secrets/password-vaults.js'
import { createProviderProgram } from './provider-program.js'
import { createBitwarden, createOnePassword } from './vault-programs.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'> & { store: SecretStore }

/** The password managers that secrets can be read from; Bitwarden can also store them. */
export function createPasswordManagers(deps: Deps): PasswordManagers {
  const { paths, store } = deps
  const bitwarden = createBitwarden(
    createProviderProgram(deps, {
      product: 'Bitwarden',
      program: 'bw',
      home: 'https://bitwarden.com/help/cli/',
    }),
  )
  const onePassword = createOnePassword(
    createProviderProgram(deps, {
      product: '1Password',
      program: 'op',
      home: 'https://developer.1password.com/docs/cli/',
    }),
  )
  const state = openProviderState(paths.secretProviders)
  const session = () => stored(store, sessionKey, 'Bitwarden', 'bitwarden')
  const token = () => stored(store, tokenKey, '1Password', '1password')
  const provider = bitwardenProvider({ bitwarden, state, session })
  return {
    bitwarden,
    provider,
    onePassword,
    state,
    session,
    token,
    active: () => (state.read().active === secretProvider.bitwarden ? provider : undefined),
    resolve: async (scheme, path) => {
      if (scheme === secretScheme.onePassword) return onePassword.read(await token(), path)
      const { name, id } = bitwardenPath(path)
      if (name !== undefined) return provider.get(name)
      return bitwarden.password(await session(), id as string)
    },
  }
}

async function stored(store: SecretStore, key: string, product: string, word: string): Promise<string> {
  const value = await store.get(key)
  if (value !== undefined) return value
  throw new AppError('conflict', `${product} is not connected; run memory secrets provider connect ${word}`)
}

const bitwardenForm = /^(?:name\/(?<name>[^/]+)|item\/(?<id>[^/]+)\/password)$/u

function bitwardenPath(path: string): { name?: string; id?: string } {
  const groups = bitwardenForm.exec(path)?.groups
  if (groups) return groups
  throw new AppError(
    'validation_failed',
    'a reference to Bitwarden is vaulta://name/NAME or vaulta://item/ITEM_ID/password',
  )
}

const providerState = z.object({
  version: z.literal(1),
  /** The provider for plain names. */
  active: z.enum([secretProvider.local, secretProvider.bitwarden]),
  /** Bitwarden folder for secrets; null for none. */
  folderId: z.string().max(200).nullable(),
  /** Bitwarden item ids by secret name. */
  items: z.record(z.string().max(128), z.string().max(200)),
})

const initialState: ProviderState = { version: 1, active: 'local', folderId: null, items: {} }

function openProviderState(file: string): ProviderStateFile {
  const read = (): ProviderState => {
    const text = textOf(file)
    if (text === undefined) return initialState
    try {
      return providerState.parse(JSON.parse(text))
    } catch {
      throw new AppError(
        'secret_store_damaged',
        'the file that names the active password manager (.secrets/providers.json) is damaged; restore it from a backup, or delete it and connect again',
      )
    }
  }
  return {
    read,
    change: fields => replaceFile(file, `${JSON.stringify({ ...read(), ...fields }, null, 2)}\n`, 0o600),
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

interface Parts {
  bitwarden: Bitwarden
  state: ProviderStateFile
  session(): Promise<string>
}

/** Bitwarden as the secret store: one item per secret in the chosen folder, found by its exact name. */
function bitwardenProvider({ bitwarden, state, session }: Parts): BitwardenProvider {
  const remember = (name: string, id: string | undefined): void => {
    const { [name]: _, ...others } = state.read().items
    state.change({ items: id === undefined ? others : { ...others, [name]: id } })
  }
  const find = async (name: string): Promise<string | undefined> => {
    const known = state.read().items[name]
    if (known !== undefined) return known
    const items = await bitwarden.items(await session(), state.read().folderId)
    const id = uniqueItem(items, name)?.id
    if (id !== undefined) remember(name, id)
    return id
  }
  const create: BitwardenProvider['create'] = async (name, value) =>
    remember(name, await bitwarden.create(await session(), { name, value, folderId: state.read().folderId }))
  return {
    create,
    names: async () => {
      const items = await bitwarden.items(await session(), state.read().folderId)
      return [...new Set(items.map(({ name }) => name))]
        .filter(name => secretName.safeParse(name).success)
        .sort()
    },
    get: async name => {
      const id = await find(name)
      const value = id === undefined ? undefined : await bitwarden.password(await session(), id)
      if (value !== undefined || id === undefined) return value
      // The item was deleted, and another one with the name may exist.
      remember(name, undefined)
      const other = await find(name)
      return other === undefined ? undefined : bitwarden.password(await session(), other)
    },
    set: async (name, value) => {
      const id = await find(name)
      if (id !== undefined) return bitwarden.change(await session(), id, value)
      await create(name, value)
    },
    remove: async name => {
      const id = await find(name)
      if (id === undefined) return false
      await bitwarden.remove(await session(), id)
      remember(name, undefined)
      return true
    },
  }
}

/** @throws AppError `conflict` when two items have the name: guessing could return the wrong password */
function uniqueItem(items: readonly BitwardenItem[], name: string): BitwardenItem | undefined {
  const [first, second] = items.filter(item => item.name === name)
  if (second)
    throw new AppError(
      'conflict',
      `Bitwarden has more than one item named ${name}; rename one, or name it by vaulta://item/ITEM_ID/password`,
    )
  return first
}
