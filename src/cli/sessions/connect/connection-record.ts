import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../../lib/files/replace-file.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { HarnessName, Scope, Transport } from './entries/harness.js'

/** What was changed for one harness, so that it can be taken back to the byte. */
export interface ConnectionRecord {
  harness: HarnessName
  scope: Scope
  /** Folder of the project; absent for scope user. */
  folder?: string
  /** Of this program when it connected. */
  version: string
  /** ISO 8601. */
  time: string
  transport: Transport
  /** Of the daemon then, as entries by URL name it. */
  origin: string
  withMcp: boolean
  /** Absent where nobody said. */
  allowTools?: boolean | undefined
  /** Words that start our program. */
  command: readonly string[]
  files: readonly RecordedFile[]
  /** Folders that were made, outermost first. */
  folders: readonly string[]
}

export interface RecordedFile {
  path: string
  /** Name of the copy beside the record; absent for a file that was not there. */
  backup?: string
  /** SHA-256 in hex of the bytes before the first change; absent for a file that was not there. */
  before?: string
  /** SHA-256 in hex of what was written. */
  after: string
}

/** Which connection is meant: one for the user, and one for each project. */
export interface ConnectionKey {
  harness: HarnessName
  scope: Scope
  /** The current folder; it counts for scope project. */
  folder: string
}

const recordName = 'record.json'
const privateMode = 0o600

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** @returns undefined when there is no record, or it is torn: disconnect then goes by the entries themselves. */
export function readRecord(paths: WorkspacePaths, key: ConnectionKey): ConnectionRecord | undefined {
  return parseRecord(join(folderOf(paths, key), recordName))
}

/** Records of every harness and project of a workspace. */
export function allRecords({ connections }: WorkspacePaths): ConnectionRecord[] {
  if (!existsSync(connections)) return []
  return readdirSync(connections, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(recordName))
    .flatMap(name => parseRecord(join(connections, name)) ?? [])
}

/** The bytes of a file before the first change; undefined when it was not there, or its copy is gone. */
export function readBackup(
  paths: WorkspacePaths,
  key: ConnectionKey,
  { backup }: RecordedFile,
): Buffer | undefined {
  const file = backup && join(folderOf(paths, key), backup)
  return file && existsSync(file) ? readFileSync(file) : undefined
}

/**
 * Keeps a record with copies of files, for their owner alone: settings files of harnesses may hold keys.
 * @param backups bytes by the name that the record gives them.
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

/** Removes a record with its copies. */
export function removeRecord(paths: WorkspacePaths, key: ConnectionKey): void {
  const folder = folderOf(paths, key)
  rmSync(folder, { recursive: true, force: true })
  const ofHarness = dirname(folder)
  if (existsSync(ofHarness) && readdirSync(ofHarness).length === 0) rmSync(ofHarness, { recursive: true })
}

function folderOf({ connections }: WorkspacePaths, { harness, scope, folder }: ConnectionKey): string {
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
