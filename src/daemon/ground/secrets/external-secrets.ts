import type { SecretScheme } from '../../../contract/ground/wire-names.js'
/** Secrets in password managers. */
export interface ExternalSecrets {
  /** The provider for bare names; undefined if the local store is in use. */
  active(): SecretProvider | undefined
  /** Undefined if the secret does not exist. @throws AppError `conflict` if the manager is not connected. */
  resolve(scheme: SecretScheme, path: string): Promise<string | undefined>
}

/** A store for secrets: the local store or a password manager. Names must be validated first. */
export interface SecretProvider {
  names(): Promise<string[]>
  /** Undefined if the secret does not exist. */
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** @returns false if the secret does not exist. */
  remove(name: string): Promise<boolean>
}
