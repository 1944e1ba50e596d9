import { basename } from 'node:path'
import { isInside } from '../../../lib/files/folders.js'
import {
  allRecords,
  type ConnectionRecord,
  hashOf,
  type RecordedFile,
  removeRecord,
  writeRecord,
} from './connection-record.js'
import type { Machine } from './entries/machine.js'
import type { Plan } from './plan.js'
import { applyChanges, type FileChange, missingFolders, removeEmptyFolders } from './settings-files.js'

/**
 * Writes all files of a plan to connect, or none. Backups and the record are written first, so that the
 * changes can always be undone.
 * @param now ISO 8601.
 * @throws CliError `not_writable` or `changed_meanwhile`; the files are unchanged then.
 */
export function carryOutConnect(machine: Machine, plan: Plan, now: string): void {
  const { workspace } = machine
  const files = [...plan.changes.map(change => recordedFile(plan, change)), ...otherFiles(plan)]
  const record: ConnectionRecord = {
    harness: plan.harness.name,
    scope: plan.key.scope,
    ...(plan.key.scope === 'project' && { folder: plan.key.folder }),
    version: machine.version,
    time: now,
    transport: plan.options.transport,
    origin: plan.address.origin,
    withMcp: plan.options.withMcp,
    allowTools: plan.options.allowTools,
    command: plan.program.memory,
    files: files.map(({ copy: _, ...file }) => file),
    folders: createdFolders(machine, plan),
  }
  const backups = new Map(files.flatMap(({ backup, copy }) => (backup && copy ? [[backup, copy]] : [])))
  writeRecord(workspace, plan.key, record, backups)
  try {
    applyChanges(plan.changes)
  } catch (error) {
    if (plan.record) writeRecord(workspace, plan.key, plan.record, new Map())
    else removeRecord(workspace, plan.key)
    throw error
  }
}

/**
 * Returns the created folders of a plan, outermost first. Agents may share a folder, so one that another
 * connection created counts too: the last connection removes it.
 */
function createdFolders({ workspace }: Machine, { record, changes }: Plan): string[] {
  const shared = allRecords(workspace)
    .flatMap(({ folders }) => folders)
    .filter(folder => changes.some(({ path }) => isInside(folder, path)))
  const all = [...(record?.folders ?? []), ...shared, ...missingFolders(changes)]
  return [...new Set(all)].sort((one, other) => one.length - other.length)
}

/** Writes the files of a plan to disconnect, and removes created folders, the record and the backups. */
export function carryOutDisconnect(machine: Machine, plan: Plan): void {
  applyChanges(plan.changes)
  removeEmptyFolders(plan.record?.folders ?? [])
  removeRecord(machine.workspace, plan.key)
}

/** Includes the bytes of a backup that is still to be written. */
type CopiedFile = RecordedFile & { copy?: Buffer }

/** Keeps the first backup of a file that is unchanged since we wrote it; a changed file gets a new backup. */
function recordedFile({ record }: Plan, { path, before, after }: FileChange): CopiedFile {
  const known = record?.files.find(file => file.path === path)
  const written = { path, after: hashOf(after ?? '') }
  if (known && before && hashOf(before) === known.after) return { ...known, ...written }
  if (!before) return written
  const hash = hashOf(before)
  return { ...written, before: hash, backup: `${basename(path)}.${hash.slice(0, 12)}`, copy: before }
}

function otherFiles({ record, changes }: Plan): CopiedFile[] {
  return (record?.files ?? []).filter(({ path }) => !changes.some(change => change.path === path))
}
