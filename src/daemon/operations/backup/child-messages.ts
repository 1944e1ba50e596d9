import type { ArchiveHeader, BackupProgress } from '../../../contract/operations/backup.js'

export interface CreateTask {
  type: 'create'
  header: Omit<ArchiveHeader, 'bytes' | 'files' | 'schema'>
  root: string
  database: string
  /** Folder for the copy of the database during packing; the caller removes it. */
  work: string
  /** Archive to write; must not exist yet. */
  file: string
  /** Public keys of age; the archive is not encrypted if there are none. */
  recipients: readonly string[]
}

export interface CreatedArchive {
  bytes: number
  sha256: string
  files: number
  memories: number | null
  problems: string[]
}

/** Reads a whole archive. Files extracted to `work` are complete only if this succeeds. */
export interface ReadTask {
  type: 'read'
  file: string
  /** Must not exist yet; the caller removes it. */
  work: string
  /** Files to extract; the database is always extracted to be checked. */
  take: 'all' | 'database'
  /** Secret keys of age for a sealed archive. */
  identities: readonly string[]
}

export interface ArchiveContents {
  header: ArchiveHeader
  sha256: string
  /** Paths of the files, without the database. */
  paths: string[]
  bytes: number
  memories: number | null
  tables: Record<string, number>
  /** Faults of the database. */
  problems: string[]
  /** Id of the inner key that encrypts the archive's secret store. */
  secretsKeyId: string | null
}

export type Task = CreateTask | ReadTask
export type ResultOf<T extends Task> = T extends CreateTask ? CreatedArchive : ArchiveContents

/**
 * `refused`: the archive is rejected. `sealed`: no key opens it. `full`: the disk is full. `failed`:
 * everything else.
 */
export type ChildFault = { kind: 'refused' | 'sealed' | 'full' | 'failed'; message: string }

export type FromChild =
  | { type: 'progress'; progress: BackupProgress }
  | { type: 'done'; result: CreatedArchive | ArchiveContents }
  | { type: 'fault'; fault: ChildFault }
