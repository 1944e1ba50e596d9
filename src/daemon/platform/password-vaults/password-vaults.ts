import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import { secretProvider, secretScheme } from '../../../contract/ground/wire-names.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'
import type { Ground } from '../../ground/ground.js'
import {
  type PasswordManagers,
  type ProviderState,
  type ProviderStateFile,
  sessionKey,
  tokenKey,
} from '../../ground/secrets/password-vaults.js'
import { createBitwarden } from './bitwarden.js'
import { bitwardenProvider } from './bitwarden-provider.js'
import { createOnePassword } from './onepassword.js'
import { createProviderProgram } from './provider-program.js'

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
