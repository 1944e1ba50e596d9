import type { ImportAdapter } from '../../../../contract/knowledge/import-adapters.js'
import type { RejectionReason } from '../../../../contract/knowledge/imports.js'
import type { LoopBudget } from '../../../../lib/concurrency/loop-budget.js'
import type { Framing } from './raw-record.js'

/** Roles of imported messages. */
export const importedRoles = ['user', 'assistant', 'system', 'tool', 'unknown'] as const
export type ImportedRole = (typeof importedRoles)[number]

export interface ImportedMessage {
  role: ImportedRole
  /** Exactly as it came. */
  text: string
  /** ISO time; null when there is none. */
  at: string | null
}

/** A record as an adapter understands it. */
export interface Conversation {
  /** Under this name its agent finds it; records of one name are the same conversation. */
  sessionKey: string
  harness: string
  project: string | null
  /** Absolute path of the folder that it worked in, where nothing names its project. */
  cwd?: string | null
  /** ISO time of what was said last; null when nobody knows. */
  capturedAt: string | null
  messages: readonly ImportedMessage[]
}

/** What became of one record: a conversation, or why it is none. */
export type Reading = { conversation: Conversation } | { rejection: RejectionReason; detail?: string }

interface Named {
  name: ImportAdapter
  version: number
}

/** Reads files of many records. Shapes that it does not know are rejected, with what was seen. */
export interface RecordAdapter extends Named {
  /** How its files are taken apart. */
  framing: Framing
  read(bytes: Buffer): Reading
}

/** A file that is one conversation. */
export interface WholeFile {
  /** What the client calls it. */
  name: string
  bytes: AsyncIterable<Buffer>
}

/** Reads the logs that a program keeps of its sessions, one a file. */
export interface FileAdapter extends Named {
  /** One that was read before and has gone on since adds what is new. */
  readFile(file: WholeFile, budget: LoopBudget): Promise<Reading>
}

/** One form of files: a folder beside this file, and a line in `adapters.ts`. */
export type Adapter = RecordAdapter | FileAdapter
