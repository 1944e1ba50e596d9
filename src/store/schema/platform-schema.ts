/** A daemon among several that share the database. */
export interface NodesTable {
  id: string
  name: string
  version: string
  url: string
  started_at: string
  /** Its last heartbeat, by its own clock. */
  seen_at: string
  /** The change number up to which its index is. */
  applied: number
  /** Since when it ends, while it may still answer; null while it serves. */
  stopping_since: string | null
}

/** A periodic work that one of several daemons does. */
export interface NodeDutiesTable {
  name: string
  node: string
  taken_at: string
}

export interface NodeSchema {
  nodes: NodesTable
  node_duties: NodeDutiesTable
}

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

/** A project: a repository, a folder or a name (docs/projects.md). */
export interface ProjectsTable {
  key: string
  name: string
  created_at: string
  /** To within an hour. */
  used_at: string
}

/** A key that rows of a project may have, its own included. */
export interface ProjectKeysTable {
  key: string
  project: string
}

/** A folder of a project on this machine. */
export interface ProjectPlacesTable {
  path: string
  project: string
  /** 1 when a person assigned it: then it belongs to the project whatever its repository says. */
  fixed: number
  seen_at: string
}

/** A join, split, move or rename. */
export interface ProjectChangesTable {
  id: string
  kind: string
  project: string
  /** JSON object with what the change moved. */
  details: string
  at: string
  by: string
  undone_at: string | null
}

export interface ProjectSchema {
  projects: ProjectsTable
  project_keys: ProjectKeysTable
  project_places: ProjectPlacesTable
  project_changes: ProjectChangesTable
}
