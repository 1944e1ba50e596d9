import type { Reading } from './extraction.js'
import type { FencedSource } from './read-source.js'

/** Bytes of a file, and characters of its text, that one message carries: neither side is long at one. */
export const pieceBytes = 256 * 1024
export const pieceCharacters = 128 * 1024

/** What the child is to read, and how much processor time it may take for that. */
export type ToRead = Omit<FencedSource, 'bytes'> & { processorMs: number }

/** What the daemon tells the child: the bytes of a file in pieces, then what it is. One file at a time. */
export type ToChild = { type: 'bytes'; piece: Uint8Array } | ({ type: 'read' } & ToRead)

/** What the child answers: the text in pieces, then the rest. */
export type FromChild =
  /** It has started. */
  | { type: 'up' }
  | { type: 'text'; piece: string }
  | { type: 'done'; reading: Reading; rssBytes: number }
  /** It takes too much memory, or processor time, and ends. */
  | { type: 'over'; of: 'memory' | 'processor' }

/** What the child's main thread hands to the one that reads. */
export type ToReader = FencedSource
