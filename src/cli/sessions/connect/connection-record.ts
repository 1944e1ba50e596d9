import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { HarnessName, Scope, Transport } from './entries/harness.js'

/** Changes made for one harness, which allow to restore its files byte for byte. */
export interface ConnectionRecord {
  harness: HarnessName
  scope: Scope
  /** Folder of the project; absent for scope user. */
  folder?: string
  /** Version of this program at the time. */
  version: string
  /** ISO 8601. */
  time: string
  transport: Transport
  /** The daemon's address at the time, used in entries with URLs. */
  origin: string
  withMcp: boolean
  /** Absent if the user made no choice. */
  allowTools?: boolean | undefined
  /** Words that start our program. */
  command: readonly string[]
  files: readonly RecordedFile[]
  /** Created folders, outermost first. */
  folders: readonly string[]
}

export interface RecordedFile {
  path: string
  /** File name of the backup beside the record; absent if the file did not exist. */
  backup?: string
  /** SHA-256 in hex of the original bytes; absent if the file did not exist. */
  before?: string
  /** SHA-256 in hex of the written bytes. */
  after: string
}

/** Identifies a connection: one for the user, and one per project. */
export interface ConnectionKey {
  harness: HarnessName
  scope: Scope
  /** Current folder, for scope project. */
  folder?: string
}

const recordName = 'record.json'
const privateMode = 0o600

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * @returns undefined if the record is missing or incomplete; disconnect then identifies the entries
 * themselves.
 */
export function readRecord(paths: WorkspacePaths, key: ConnectionKey): ConnectionRecord | undefined {
  return parseRecord(join(folderOf(paths, key), recordName))
}

/** Returns the records of all harnesses and projects of a workspace. */
export function allRecords({ connections }: WorkspacePaths): ConnectionRecord[] {
  if (!existsSync(connections)) return []
  return readdirSync(connections, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(recordName))
    .flatMap(name => parseRecord(join(connections, name)) ?? [])
}

/** Returns the original bytes of a file; undefined if it did not exist or its backup is missing. */
export function readBackup(
  paths: WorkspacePaths,
  key: ConnectionKey,
  { backup }: RecordedFile,
): Buffer | undefined {
  const file = backup && join(folderOf(paths, key), backup)
  return file && existsSync(file) ? readFileSync(file) : undefined
}

/**
 * Writes a record and its backups, readable for their owner alone, because settings files may contain keys.
 * @param backups bytes by the file name in the record.
 */
export function writeRecord(
  paths: WorkspacePaths,
  key: ConnectionKey,
  record: ConnectionRecord,
  backups: ReadonlyMap<string, Buffer>,
): void {
  const folder = folderOf(paths, key)
  for (const [name, bytes] of backups) replaceFile(join(folder, name), bytes, privateMode)
  replaceFile(join(folder, recordName), `${JSON.stringify(record, null, 2)}\n`, privateMode)
}

/** Removes a record and its backups. */
export function removeRecord(paths: WorkspacePaths, key: ConnectionKey): void {
  const folder = folderOf(paths, key)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const ofHarness = dirname(folder)
  if (existsSync(ofHarness) && readdirSync(ofHarness).length === 0)
    rmSync(ofHarness, { recursive: true, maxRetries: 5 })
}

function folderOf({ connections }: WorkspacePaths, { harness, scope, folder = '' }: ConnectionKey): string {
  return join(connections, harness, scope === 'user' ? 'user' : `project-${hashOf(folder).slice(0, 16)}`)
}

function parseRecord(file: string): ConnectionRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as ConnectionRecord
    return Array.isArray(record.files) ? record : undefined
  } catch {
    return undefined
  }
}
