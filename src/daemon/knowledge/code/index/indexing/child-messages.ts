import type { RunProgress, RunReport, RunRequest } from './run-request.js'

/** What the daemon asks the child, and the child its thread: one run at a time. */
export type ToChild = RunRequest

/** What the child answers. */
export type FromChild =
  | ({ type: 'progress' } & RunProgress)
  | { type: 'done'; report: RunReport; rssBytes: number }
  /** The index could not be written, or its folder not be read. */
  | { type: 'failed'; message: string; code: string | null }
  /** It takes too much memory, and ends. */
  | { type: 'over' }
