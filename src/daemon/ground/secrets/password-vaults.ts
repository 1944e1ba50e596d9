import { type SecretScheme, secretProvider } from '../../../contract/ground/wire-names.js'

export interface Folder {
  id: string
  name: string
}

/** Status reported by the CLI; `locked` and `unauthenticated` describe the given session. */
export interface BitwardenStatus {
  status: 'unauthenticated' | 'locked' | 'unlocked'
  serverUrl: string | null
  userEmail: string | null
}

export interface BitwardenItem {
  id: string
  name: string
  folderId?: string | null | undefined
  login?: { password?: string | null | undefined } | null | undefined
}

export interface Bitwarden {
  status(session?: string): Promise<BitwardenStatus>
  folders(session: string): Promise<Folder[]>
  /** Items that can contain a secret: those of a folder, or all. */
  items(session: string, folderId: string | null): Promise<BitwardenItem[]>
  /** The password of an item; undefined if the item does not exist. */
  password(session: string, id: string): Promise<string | undefined>
  /** @returns the id of the new item. */
  create(session: string, fresh: { name: string; value: string; folderId: string | null }): Promise<string>
  /** Changes an item's password and nothing else. */
  change(session: string, id: string, value: string): Promise<void>
  /** Moves the item to the trash. */
  remove(session: string, id: string): Promise<void>
}

export interface Vault {
  id: string
  name: string
}

/** A concealed field of an item. */
export interface HiddenField {
  id: string
  label: string
  value: string
}

export interface OnePassword {
  vaults(token: string): Promise<Vault[]>
  items(token: string, vaultId: string): Promise<{ id: string; title: string }[]>
  /** The non-empty concealed fields of an item. */
  hiddenFields(token: string, vaultId: string, itemId: string): Promise<HiddenField[]>
  /** @param path `vault/item/field` */
  read(token: string, path: string): Promise<string>
}

export interface ProviderState {
  version: 1
  /** The provider for bare names. */
  active: typeof secretProvider.local | typeof secretProvider.bitwarden
  /** The Bitwarden folder for secrets; null for none. */
  folderId: string | null
  /** Bitwarden item ids by secret name. */
  items: Record<string, string>
}

/** Settings of password managers without any secret: one small file, written atomically. */
export interface ProviderStateFile {
  /** @throws AppError `secret_store_damaged`: an unreadable file must not count as "local". */
  read(): ProviderState
  change(fields: Partial<ProviderState>): void
}

export interface BitwardenProvider extends SecretProvider {
  /** Creates a secret known to be missing, without the lookup, which takes a second or two. */
  create(name: string, value: string): Promise<void>
}

/** Reserved names in the local store for the managers' own tokens; callers cannot use them. */
export const sessionKey = `_service_${secretProvider.bitwarden}_session`
export const tokenKey = `_service_${secretProvider.onePassword}_token`

export interface PasswordManagers extends ExternalSecrets {
  bitwarden: Bitwarden
  /** Bitwarden as a secret store, whether in use or not. */
  provider: BitwardenProvider
  onePassword: OnePassword
  state: ProviderStateFile
  /** @throws AppError `conflict` if Bitwarden is not connected. */
  session(): Promise<string>
  /** @throws AppError `conflict` if 1Password is not connected. */
  token(): Promise<string>
}

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
