import type { SecretProvider } from './provider.js'

/** Secrets that password managers keep. */
export interface ExternalSecrets {
  /** The manager that answers for bare names; undefined while the store of the workspace does. */
  active(): SecretProvider | undefined
  /** Undefined when there is no such secret. @throws AppError `conflict` when the manager is not connected. */
  resolve(scheme: 'vaulta://' | 'vaultb://', path: string): Promise<string | undefined>
}
