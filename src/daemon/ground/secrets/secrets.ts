import { AppError, notFound } from '../../../contract/ground/errors.js'
import { type SecretScheme, secretProvider, secretScheme } from '../../../contract/ground/wire-names.js'
import { storableName } from '../../../contract/secrets/names.js'
import type { SecretDetails } from '../../../contract/secrets/store.js'
import { oneAtATime } from '../../../lib/concurrency/one-at-a-time.js'
import { readSecretUses, writeSecretUses } from '../../../store/files/secret-use-file.js'
import type { SecretStore } from '../../../store/secrets/secret-store.js'
import type { ExternalSecrets, SecretProvider } from './password-vaults.js'

/** Secrets for use cases. */
export interface Secrets extends SecretProvider {
  /**
   * Resolves `NAME`, `local://NAME`, `env:NAME`, `vaulta://...` or `vaultb://...`.
   * @throws AppError `validation_failed` for an invalid reference, `not_found` for a missing secret, and the
   * store's errors `secret_store_locked`, `secret_store_damaged`, `secret_store_unavailable`
   */
  resolve(reference: string): Promise<string>
  /**
   * True if a reference has a value; does not count as a use. @throws AppError as `resolve`, except
   * `not_found`
   */
  isSet(reference: string): Promise<boolean>
  /** Provider, creation time and last use of each of `names`. */
  details(): Promise<SecretDetails[]>
  /**
   * True if a reference resolves on this machine; password managers take a second or two and may be locked.
   * @throws AppError `validation_failed`, `secret_store_damaged` if the provider for bare names is unknown
   */
  isHere(reference: string): boolean
  /** Calls the listener when a reference may have a new value. */
  onChange(reference: () => string | undefined, listener: () => void): void
  /** The store of this workspace, whichever provider is active. */
  store: SecretStore
}

/** Uses this soon after the last recorded one are not recorded. */
const coarseMs = 60_000

/**
 * Variables with this prefix grant access to this daemon; a source would send them to another server. Windows
 * ignores case in variable names.
 */
const isOwnLogin = (name: string): boolean => name.toUpperCase().startsWith('SERVICE_ADMIN_')

export interface SecretsOptions {
  store: SecretStore
  /** Environment of the process, for `env:NAME`. */
  environment: NodeJS.ProcessEnv
  external: ExternalSecrets
  uses: SecretUses
}

export function createSecrets({ store, environment, external, uses }: SecretsOptions): Secrets {
  const active = (): SecretProvider => external.active() ?? store
  const valueBehind = ({ scheme, name }: Reference): Promise<string | undefined> | string | undefined => {
    if (scheme === 'env:') return isOwnLogin(name) ? undefined : environment[name]
    if (isExternal(scheme)) return external.resolve(scheme, name)
    return (scheme === '' ? active() : store).get(name)
  }
  return {
    names: async () => active().names(),
    get: async name => active().get(name),
    set: async (name, value) => active().set(name, value),
    remove: async name => {
      const isGone = await active().remove(name)
      if (isGone) uses.forget(name)
      return isGone
    },
    resolve: async reference => {
      const known = parseReference(reference)
      const value = await valueBehind(known)
      const { scheme, name } = known
      if (value) {
        if (scheme === '' || scheme === 'local://') uses.note(name)
        return value
      }
      throw notFound(`secret ${scheme}${name} not found`, `${nextStep(known)}`)
    },
    isSet: async reference => Boolean(await valueBehind(parseReference(reference))),
    details: async () => {
      const provider = external.active() ? secretProvider.bitwarden : secretProvider.local
      const [names, times] = await Promise.all([
        active().names(),
        provider === secretProvider.local ? store.times() : undefined,
      ])
      return names.map(name => ({
        name,
        provider,
        createdAt: times?.get(name)?.createdAt ?? null,
        updatedAt: times?.get(name)?.updatedAt ?? null,
        lastUsedAt: uses.last(name),
      }))
    },
    isHere: reference => {
      const { scheme } = parseReference(reference)
      if (scheme === '') return external.active() === undefined
      return scheme === 'env:' || scheme === 'local://'
    },
    onChange: (reference, listener) =>
      store.onChange(changed => {
        const { scheme, name } = parsed(reference() ?? '') ?? {}
        if (name === undefined || (scheme !== '' && scheme !== 'local://')) return
        if (changed === 'all' || changed.includes(name)) listener()
      }),
    store,
  }
}

interface Reference {
  scheme: '' | 'local://' | 'env:' | SecretScheme
  /** For password managers: the path of the value. */
  name: string
}

const isExternal = (scheme: Reference['scheme']): scheme is SecretScheme =>
  scheme === secretScheme.bitwarden || scheme === secretScheme.onePassword

const reference = /^(?<scheme>local:\/\/|env:|)(?<name>[^:/]*)$/u
const externalReference = /^(?<scheme>vault[ab]:\/\/)(?<name>[^/\p{Cc}]+(?:\/[^/\p{Cc}]+){1,3})$/u

/** An invalid reference is never quoted: it may be the secret itself. @throws AppError `validation_failed` */
function parseReference(text: string): Reference {
  const known = parsed(text)
  if (known) return known
  throw new AppError(
    'validation_failed',
    'this is not a secret reference: use a name from memory secrets list, local://NAME, env:NAME, vaulta://name/NAME, vaulta://item/ID/password or vaultb://VAULT/ITEM/FIELD, never the value',
  )
}

function parsed(text: string): Reference | undefined {
  const external = externalReference.exec(text)?.groups
  const { scheme, name = '' } = external ?? reference.exec(text)?.groups ?? {}
  if (scheme === undefined || (!external && !storableName.safeParse(name).success)) return undefined
  return { scheme: scheme as Reference['scheme'], name }
}

function nextStep({ scheme, name }: Reference): string {
  if (scheme === 'env:' && isOwnLogin(name))
    return "the login of the daemon's admin is given to nothing else; name another variable"
  if (scheme === 'env:')
    return 'set the variable in the environment of the daemon, then run memory daemon restart'
  if (isExternal(scheme)) return 'check in the password manager that the item exists and has a password'
  return `store it with: memory secrets set ${name}`
}

/**
 * Resolves a token reference at the moment of use; the token is never cached.
 * @param secret resolves references, see Secrets.resolve
 * @param schemes prefixes that users may have stored with the token: `Bot`, `Bearer`
 * @throws AppError `validation_failed` for a value that cannot be a header, without repeating it; errors of
 * `secret`
 */
export async function resolveToken(
  secret: (reference: string) => Promise<string>,
  reference: string,
  schemes: readonly string[],
): Promise<string> {
  const words = (await secret(reference)).trim().split(/\s+/u)
  const token = schemes.includes(words[0] ?? '') ? words.slice(1) : words
  if (token.length === 1 && /^[\x21-\x7e]+$/u.test(token[0] ?? '')) return token[0] ?? ''
  throw new AppError(
    'validation_failed',
    `the secret ${reference} does not contain a token: a token is one word of printable ASCII characters; store it again with memory secrets set`,
  )
}

interface SecretUsesOptions {
  file: string
  clock: () => Date
  log: { warn(fields: object, message: string): void }
}

/** Last use of each secret, to the minute; a disk error loses only the time. */
export class SecretUses {
  readonly #options: SecretUsesOptions
  readonly #inTurn = oneAtATime()
  #last: Map<string, string> | undefined

  constructor(options: SecretUsesOptions) {
    this.#options = options
  }

  last(name: string): string | null {
    return this.#known().get(name) ?? null
  }

  note(name: string): void {
    const now = this.#options.clock()
    const known = this.#known().get(name)
    if (known && Math.abs(now.getTime() - Date.parse(known)) < coarseMs) return
    this.#known().set(name, now.toISOString())
    this.#write()
  }

  forget(name: string): void {
    if (this.#known().delete(name)) this.#write()
  }

  #known(): Map<string, string> {
    this.#last ??= readSecretUses(this.#options.file)
    return this.#last
  }

  #write(): void {
    const { file, log } = this.#options
    void this.#inTurn(() => writeSecretUses(file, this.#known())).catch((error: unknown) =>
      log.warn({ err: error }, 'last use of a secret not recorded'),
    )
  }
}
