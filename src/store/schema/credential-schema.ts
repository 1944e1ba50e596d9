export interface ApiKeysTable {
  id: string
  name: string
  /** The first characters of the key. */
  prefix: string
  /** SHA-256 of the key, in hex. */
  hash: string
  role: string
  connector: string | null
  agent_id: string | null
  project: string | null
  user: string | null
  /** JSON list that narrows the role; null does not narrow it. */
  permissions: string | null
  created_at: string
  created_by: string
  expires_at: string | null
  revoked_at: string | null
  /** To within a minute; null before the first use. */
  last_used_at: string | null
}

/** A client, a consent or a token of OAuth. */
export interface OauthRecordsTable {
  /** A model of the library: `Client`, `Grant`, `AccessToken`, `RefreshToken`. */
  kind: string
  /** SHA-256 of the id or the token, in hex. */
  hash: string
  /** Hash of the consent that a token comes from. */
  grant_hash: string | null
  /** JSON without the token. */
  payload: string
  expires_at: string
}

export interface CredentialSchema {
  api_keys: ApiKeysTable
  oauth_records: OauthRecordsTable
}
