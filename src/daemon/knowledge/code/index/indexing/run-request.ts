import type { FileReason } from '../../../../../store/tables/knowledge/code-rows.js'

/** A file that crashed or blocked the process. */
export interface BlamedFile {
  path: string
  reason: FileReason
  message: string
}

export interface RunRequest {
  /** Absolute path of the project. */
  root: string
  /** Path of the index. */
  database: string
  /** Changed files and folders below the root; null checks everything. */
  paths: readonly string[] | null
  blamed: readonly BlamedFile[]
  /** Processor time per file. */
  processorMs: number
}

export interface RunProgress {
  phase: 'listing' | 'parsing' | 'resolving'
  done: number
  total: number
}

/** The outcome of a run, counted in files. */
export interface RunReport {
  /** Parsed files; `partial` of these have syntax errors. */
  parsed: number
  partial: number
  /** Skipped with a reason. */
  skipped: number
  failed: number
  removed: number
  unchanged: number
  durationMs: number
  /** Processor time. */
  processorMs: number
}

/** Requests from the daemon to the child and from the child to its thread, one run at a time. */
export type ToChild = RunRequest

/** Replies of the child. */
export type FromChild =
  | ({ type: 'progress' } & RunProgress)
  | { type: 'done'; report: RunReport; rssBytes: number }
  /** The index could not be written, or its folder could not be read. */
  | { type: 'failed'; message: string; code: string | null }
  /** The child uses too much memory and ends. */
  | { type: 'over' }
