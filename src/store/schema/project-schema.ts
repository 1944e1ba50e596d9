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
