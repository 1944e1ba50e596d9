import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { RejectionReason } from '../../../../contract/knowledge/imports.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import type { LeftOut } from '../../../sessions/transcripts/transcript-message.js'
import type { TurnWork } from '../../../sessions/work/tool-log.js'

/** Roles of imported messages. */
export const importedRoles = ['user', 'assistant', 'system', 'tool', 'unknown'] as const
export type ImportedRole = (typeof importedRoles)[number]

export interface ImportedMessage {
  role: ImportedRole
  /** Unchanged. */
  text: string
  /** ISO 8601; null if unknown. */
  at: string | null
}

/** A record after parsing. */
export interface Conversation {
  /** The key by which the agent finds it; records with the same key are the same conversation. */
  sessionKey: string
  harness: string
  project: string | null
  /** Absolute path of its working folder, used if no project is named. */
  cwd?: string | null
  /** ISO 8601 time of the last message; null if unknown. */
  capturedAt: string | null
  messages: readonly ImportedMessage[]
  /** Uses of tools, from programs whose logs name them. */
  work?: readonly TurnWork[]
}

/** The result of reading a record: a conversation, or the reason for its rejection. */
export type RecordResult =
  | { conversation: Conversation; leftOut?: LeftOut }
  | { rejection: RejectionReason; detail?: string }

interface AdapterName {
  name: ImportAdapter
  version: number
}

/** Reads files with many records. Unknown shapes are rejected with a description of their fields. */
export interface RecordAdapter extends AdapterName {
  /** Splits a file into records. */
  framing: Framing
  read(bytes: Buffer): RecordResult
}

/** A file that contains one conversation. */
export interface WholeFile {
  /** The client's name for the file. */
  name: string
  /** Working folder of the conversation, if the client named it. */
  folder?: string | null
  bytes: AsyncIterable<Buffer>
}

/** Reads session logs with one session per file. */
export interface FileAdapter extends AdapterName {
  /** Reads the file; for a log that was imported before, only new messages are added. */
  readFile(file: WholeFile, budget: LoopBudget): Promise<RecordResult>
}

/** An adapter for one file format: a folder next to this file and a line in `adapters.ts`. */
export type Adapter = RecordAdapter | FileAdapter

/** Larger records are rejected. */
export const maxRecordBytes = 16 * 1024 * 1024

/** One unparsed record of a file. */
export interface RawRecord {
  /** Number within its file, from 1; for lines the line number. */
  number: number
  /** Offset of the record's end in the file. */
  end: number
  /** Undefined for a record above the size limit. */
  bytes: Buffer | undefined
}

/** How far the records of a file have been read. */
export interface RecordOffset {
  /** Bytes read. */
  bytes: number
  /** Number of the last record. */
  number: number
}

/**
 * Splits bytes into records as they arrive.
 * @param place where the bytes begin; always the end of a record
 */
export type Framing = (source: AsyncIterable<Buffer>, place: RecordOffset) => AsyncGenerator<RawRecord>

/** Collects the bytes of a record, and drops them when the record becomes too large. */
export class RecordBytes {
  #pieces: Buffer[] = []
  #length = 0

  /** Bytes so far, including dropped ones. */
  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length > maxRecordBytes) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  /** Returns the bytes of the finished record and starts the next one. */
  take(): Buffer | undefined {
    const bytes = this.#length > maxRecordBytes ? undefined : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    return bytes
  }
}
