import type { ReadingResult } from './extraction.js'
import type { FencedSource } from './read-source.js'

/** Message sizes are limited because each side is busy while it copies one. */
export const pieceBytes = 256 * 1024
export const pieceCharacters = 128 * 1024

/** The file to read and its CPU time limit. */
export type ReadingTask = Omit<FencedSource, 'bytes'> & { processorMs: number }

/** Messages to the child, for one file at a time: its bytes in pieces, then its description. */
export type ChildRequest = { type: 'bytes'; piece: Uint8Array } | ({ type: 'read' } & ReadingTask)

/** Replies of the child: the text in pieces, then the result. */
export type ChildReply =
  /** The child has started. */
  | { type: 'up' }
  | { type: 'text'; piece: string }
  | { type: 'done'; reading: ReadingResult; rssBytes: number }
  /** The child exceeded its memory or CPU limit and exits. */
  | { type: 'over'; of: 'memory' | 'processor' }

/** Message from the child's main thread to its reader thread. */
export type ReaderRequest = FencedSource
