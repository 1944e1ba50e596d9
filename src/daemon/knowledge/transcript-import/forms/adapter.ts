import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { RejectionReason } from '../../../../contract/knowledge/imports.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import type { LeftOut } from '../../../sessions/transcripts/transcript-message.js'
import type { TurnWork } from '../../../sessions/work/tool-log.js'
import type { Framing } from './raw-record.js'

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
