import { AppError } from '../../../contract/ground/errors.js'
import { secretName } from '../../../contract/secrets/names.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'
import type { SecretProvider } from './provider.js'

/** What use cases get of secrets. */
export interface Secrets extends SecretProvider {
  /**
   * The value behind `NAME`, `local://NAME` or `env:NAME`.
   * @throws AppError `validation_failed` for what is no reference, `not_found` where nothing is stored, and those of the
   * store: `secret_store_locked`, `secret_store_damaged`, `secret_store_unavailable`
   */
  resolve(reference: string): Promise<string>
  /** Called when a reference may give another value than before. */
  onChange(reference: () => string | undefined, listener: () => void): void
  /** The store of this workspace, whichever provider is asked for bare names. */
  store: SecretStore
}

export interface SecretsOptions {
  store: SecretStore
  /** Environment of the process, for `env:NAME`. */
  environment: NodeJS.ProcessEnv
}

export function createSecrets({ store, environment }: SecretsOptions): Secrets {
  const active: SecretProvider = store
  return {
    names: () => active.names(),
    get: name => active.get(name),
    set: (name, value) => active.set(name, value),
    remove: name => active.remove(name),
    resolve: async reference => {
      const { scheme, name } = parseReference(reference)
      const value = scheme === 'env:' ? environment[name] : await (scheme === '' ? active : store).get(name)
      if (value) return value
      throw new AppError('not_found', `there is no secret ${scheme}${name}; ${nextStep(scheme, name)}`)
    },
    onChange: (reference, listener) =>
      store.onChange(changed => {
        const { scheme, name } = parsed(reference() ?? '') ?? {}
        if (name === undefined || scheme === 'env:') return
        if (changed === 'all' || changed.includes(name)) listener()
      }),
    store,
  }
}

interface Reference {
  scheme: '' | 'local://' | 'env:'
  name: string
}

const reference = /^(?<scheme>local:\/\/|env:|)(?<name>[^:/]*)$/u

/** What is no reference is not repeated: it may be the secret itself. @throws AppError `validation_failed` */
function parseReference(text: string): Reference {
  const known = parsed(text)
  if (known) return known
  throw new AppError(
    'validation_failed',
    'this is no reference to a secret: give a name from memory secrets list, local://NAME or env:NAME, never the value',
  )
}

function parsed(text: string): Reference | undefined {
  const { scheme, name = '' } = reference.exec(text)?.groups ?? {}
  if (scheme === undefined || !secretName.safeParse(name).success) return undefined
  return { scheme: scheme as Reference['scheme'], name }
}

function nextStep(scheme: Reference['scheme'], name: string): string {
  return scheme === 'env:'
    ? 'set the variable where the daemon is started, then memory daemon restart'
    : `store it with: memory secrets set ${name}`
}
