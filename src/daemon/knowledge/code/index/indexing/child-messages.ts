import type { RunProgress, RunReport, RunRequest } from './run-request.js'

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
