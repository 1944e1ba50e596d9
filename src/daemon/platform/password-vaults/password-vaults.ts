import { AppError } from '../../../contract/ground/errors.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'
import type { Ground } from '../../ground/ground.js'
import { type PasswordManagers, sessionKey, tokenKey } from '../../ground/secrets/password-vaults.js'
import { createBitwarden } from './bitwarden.js'
import { bitwardenProvider } from './bitwarden-provider.js'
import { createOnePassword } from './onepassword.js'
import { createProviderProgram } from './provider-program.js'
import { openProviderState } from './provider-state.js'

type Deps = Pick<Ground, 'paths' | 'log' | 'environment'> & { store: SecretStore }

/** The password managers that secrets can be read from, and Bitwarden as the place where they are kept. */
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
    active: () => (state.read().active === 'vaulta' ? provider : undefined),
    resolve: async (scheme, path) => {
      if (scheme === 'vaultb://') return onePassword.read(await token(), path)
      const { name, id } = vaultaPath(path)
      if (name !== undefined) return provider.get(name)
      return bitwarden.password(await session(), id as string)
    },
  }
}

async function stored(store: SecretStore, key: string, product: string, word: string): Promise<string> {
  const value = await store.get(key)
  if (value !== undefined) return value
  throw new AppError(
    'conflict',
    `${product} is not connected; memory secrets provider connect ${word} does that`,
  )
}

const vaultaForm = /^(?:name\/(?<name>[^/]+)|item\/(?<id>[^/]+)\/password)$/u

function vaultaPath(path: string): { name?: string; id?: string } {
  const groups = vaultaForm.exec(path)?.groups
  if (groups) return groups
  throw new AppError(
    'validation_failed',
    'a reference to Bitwarden is vaulta://name/NAME or vaulta://item/ITEM_ID/password',
  )
}
