import type { Generated } from 'kysely'

/** A folder whose code is indexed, or may be (code-index.md). */
export interface CodeProjectsTable {
  /** Path with links resolved. */
  root: string
  /** The project of memories about it. */
  project: string | null
  /** 1 when the user named the folder, even without a session there. */
  named: Generated<number>
  created_at: string
  /** End of the last indexing; null before there is an index. */
  indexed_at: string | null
  /** The last index job, as JSON. */
  job: string | null
  /** Memories up to this change number were checked for mentions of the code. */
  tied_change: Generated<number>
}

/** A mention of a project's code in a memory (code-index.md 11). */
export interface CodeTiesTable {
  memory_id: string
  root: string
  /** `path`, `symbol` or `commit`. */
  kind: string
  /** As written in the memory. */
  target: string
  path: string | null
  line: number | null
  /** Hash of the code when the tie was created; null for a commit. */
  hash: string | null
  /** `here`, `changed` or `gone`. */
  state: string
  /** When the state changed; null while it is `here`. */
  moved_at: string | null
}

export interface CodeSchema {
  code_projects: CodeProjectsTable
  code_ties: CodeTiesTable
}
