import { secretProvider } from '../../../contract/ground/wire-names.js'
import type { ExternalSecrets, SecretProvider } from './external-secrets.js'

export interface Folder {
  id: string
  name: string
}

/** What the command says of itself; `locked` and `unauthenticated` are of the session that it is asked with. */
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
  /** Items that can hold a secret: those of a folder, or all. */
  items(session: string, folderId: string | null): Promise<BitwardenItem[]>
  /** The password of an item; undefined when there is no such item. */
  password(session: string, id: string): Promise<string | undefined>
  /** @returns the id of the new item. */
  create(session: string, fresh: { name: string; value: string; folderId: string | null }): Promise<string>
  /** Another password for an item that is otherwise left as it is. */
  change(session: string, id: string, value: string): Promise<void>
  /** Into its trash. */
  remove(session: string, id: string): Promise<void>
}

export interface Vault {
  id: string
  name: string
}

/** A value of an item that is meant to be hidden. */
export interface HiddenField {
  id: string
  label: string
  value: string
}

export interface OnePassword {
  vaults(token: string): Promise<Vault[]>
  items(token: string, vaultId: string): Promise<{ id: string; title: string }[]>
  /** The hidden fields of an item that have a value. */
  hiddenFields(token: string, vaultId: string, itemId: string): Promise<HiddenField[]>
  /** @param path `vault/item/field` */
  read(token: string, path: string): Promise<string>
}

export interface ProviderState {
  version: 1
  /** Who answers for bare names. */
  active: typeof secretProvider.local | typeof secretProvider.bitwarden
  /** The folder of Bitwarden that secrets are kept in; null for none. */
  folderId: string | null
  /** Which item of Bitwarden holds which name. */
  items: Record<string, string>
}

/** What is known of password managers and is no secret: one small file, written whole. */
export interface ProviderStateFile {
  /** @throws AppError `secret_store_damaged`: a file that cannot be read never counts as "local". */
  read(): ProviderState
  change(fields: Partial<ProviderState>): void
}

export interface BitwardenProvider extends SecretProvider {
  /** Stores what is known to be missing: nothing is looked for, which takes a second or two each time. */
  create(name: string, value: string): Promise<void>
}

/** Names in the store of the workspace under which tokens are kept; no caller can name them. */
export const sessionKey = `_service_${secretProvider.bitwarden}_session`
export const tokenKey = `_service_${secretProvider.onePassword}_token`

export interface PasswordManagers extends ExternalSecrets {
  bitwarden: Bitwarden
  /** Bitwarden as a place for secrets, in use or not. */
  provider: BitwardenProvider
  onePassword: OnePassword
  state: ProviderStateFile
  /** @throws AppError `conflict` when Bitwarden is not connected. */
  session(): Promise<string>
  /** @throws AppError `conflict` when 1Password is not connected. */
  token(): Promise<string>
}
