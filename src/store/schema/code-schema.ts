import type { Generated } from 'kysely'

/** A folder whose code is read, or may be (code-index.md). */
export interface CodeProjectsTable {
  /** Without links. */
  root: string
  /** What memories of it have as their project. */
  project: string | null
  /** 1 where the user named it, though no session worked there. */
  named: Generated<number>
  created_at: string
  /** End of the last reading; null before there is an index. */
  indexed_at: string | null
  /** The last reading, as JSON. */
  job: string | null
  /** Memories up to this number of a change were looked at for what they say of the code. */
  tied_change: Generated<number>
}

/** What a memory says about the code of a project (code-index.md 11). */
export interface CodeTiesTable {
  memory_id: string
  root: string
  /** `path`, `symbol` or `commit`. */
  kind: string
  /** As the memory names it. */
  target: string
  path: string | null
  line: number | null
  /** Of what it was when it was tied; null for a commit. */
  hash: string | null
  /** `here`, `changed` or `gone`. */
  state: string
  /** When that was seen first; null while it is here. */
  moved_at: string | null
}

export interface CodeSchema {
  code_projects: CodeProjectsTable
  code_ties: CodeTiesTable
}
