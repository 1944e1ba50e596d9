import type { ArchiveHeader, BackupProgress } from '../../../contract/operations/backup.js'

/** Makes an archive. */
export interface CreateTask {
  type: 'create'
  header: Omit<ArchiveHeader, 'bytes' | 'files' | 'schema'>
  root: string
  database: string
  /** Where the copy of the database is while it is packed; the caller removes the folder. */
  work: string
  /** The archive, not there yet. */
  file: string
}

export interface Created {
  bytes: number
  sha256: string
  files: number
  memories: number | null
  problems: string[]
}

/** Reads an archive through; what is taken out of it stays in `work`, whole only if this succeeds. */
export interface ReadTask {
  type: 'read'
  file: string
  /** A folder that is not there yet; the caller removes it. */
  work: string
  /** All files, or the database alone, which has to be opened. */
  take: 'all' | 'database'
}

export interface Read {
  header: ArchiveHeader
  sha256: string
  /** Of the files, without the database. */
  paths: string[]
  bytes: number
  memories: number | null
  tables: Record<string, number>
  /** What is wrong with the database. */
  problems: string[]
  /** Of the store of secrets in it: by which inner key it is sealed. */
  secretsKeyId: string | null
}

export type Task = CreateTask | ReadTask
export type ResultOf<T extends Task> = T extends CreateTask ? Created : Read

/** `refused`: the archive is not taken. `full`: the disk took no more. `failed`: all else. */
export type ChildFault = { kind: 'refused' | 'full' | 'failed'; message: string }

export type FromChild =
  | { type: 'progress'; progress: BackupProgress }
  | { type: 'done'; result: Created | Read }
  | { type: 'fault'; fault: ChildFault }
