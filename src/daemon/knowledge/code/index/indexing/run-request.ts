import type { FileReason } from '../../../../../store/tables/knowledge/code-rows.js'

/** A file that ended the process, or held it up, when it was read. */
export interface Blamed {
  path: string
  reason: FileReason
  message: string
}

export interface RunRequest {
  /** The project, absolute. */
  root: string
  /** The file of the index. */
  database: string
  /** Files and folders below the root that changed, or may have; null looks at all. */
  paths: readonly string[] | null
  blamed: readonly Blamed[]
  /** What the processor may do for one file. */
  processorMs: number
}

export interface RunProgress {
  phase: 'listing' | 'parsing' | 'resolving'
  done: number
  total: number
}

/** What a run did, in files. */
export interface RunReport {
  /** Read anew, of which some with syntax errors. */
  parsed: number
  partial: number
  /** Not looked into, for their reasons. */
  skipped: number
  failed: number
  removed: number
  unchanged: number
  durationMs: number
  /** Of the processor. */
  processorMs: number
}
