import type { SecretScheme } from '../../../contract/ground/wire-names.js'
/** Secrets that password managers keep. */
export interface ExternalSecrets {
  /** The manager that answers for bare names; undefined while the store of the workspace does. */
  active(): SecretProvider | undefined
  /** Undefined when there is no such secret. @throws AppError `conflict` when the manager is not connected. */
  resolve(scheme: SecretScheme, path: string): Promise<string | undefined>
}

/** Where secrets are kept: the store of the workspace, or a program that keeps passwords. Names are checked before. */
export interface SecretProvider {
  names(): Promise<string[]>
  /** Undefined when there is no such secret. */
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** @returns false when there is no such secret. */
  remove(name: string): Promise<boolean>
}
