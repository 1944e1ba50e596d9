import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { notFound } from '../../../contract/ground/errors.js'
import {
  type Backup,
  type BackupList,
  type BackupNote,
  backupId,
  backupNote,
} from '../../../contract/operations/backup.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { defaultBackupFolder } from './archive/scope.js'
import { backupStateOf } from './backup-work.js'
import { isUndoKept, readNote, readPlan } from './restore-files.js'

type Deps = Pick<Daemon, 'paths' | 'configuration'>

/** Endings of an archive that is sealed by age, and of one that is not. */
const endings = ['.tar.gz.age', '.tar.gz'] as const
/** Suffix of an archive that is being written. */
export const partEnding = '.part'

export async function listBackups(
  daemon: Pick<Daemon, 'paths' | 'store' | 'configuration'>,
): Promise<BackupList> {
  const { paths, configuration } = daemon
  const backups = await backupsIn(daemon)
  const { enabled, intervalHours, keep } = configuration().settings.backup
  const { running, lastError } = backupStateOf(daemon)
  const plan = readPlan(paths)
  const note = readNote(paths)
  return {
    backups,
    count: backups.length,
    folder: folderOf(daemon),
    settings: { enabled, intervalHours, keep },
    running,
    lastError,
    pendingRestore: plan ? { id: plan.id, kind: plan.kind, preparedAt: plan.preparedAt } : null,
    lastRestore: note
      ? {
          id: note.id,
          kind: note.kind,
          at: note.at,
          memories: note.memories,
          canUndo: isUndoKept(paths, note),
        }
      : null,
  }
}

export function folderOf({ paths, configuration }: Deps): string {
  return configuration().settings.backup.folder ?? join(paths.root, defaultBackupFolder)
}

export function archiveOf(deps: Deps, id: string, { sealed }: { sealed: boolean }): string {
  return join(folderOf(deps), id + endings[sealed ? 0 : 1])
}

/** Lists the backups in the folder, newest first. */
export async function backupsIn(deps: Deps): Promise<Backup[]> {
  const names = await namesIn(folderOf(deps))
  const ids = new Set(names.flatMap(name => idOf(name) ?? []))
  const found = await Promise.all([...ids].map(id => describe(deps, id)))
  return found
    .flatMap(one => one ?? [])
    .sort((a, b) => (a.createdAt === b.createdAt ? 0 : a.createdAt < b.createdAt ? 1 : -1))
}

/** @throws AppError `not_found` */
export async function requireBackup(deps: Deps, id: string): Promise<Backup> {
  const found = await describe(deps, id)
  if (found) return found
  throw notFound(`backup ${id} not found in ${folderOf(deps)}`, 'memory backup list shows them')
}

/** Written after the archive. A backup without a note is equally valid, only less is known about it. */
export function noteBackup(deps: Deps, note: BackupNote): void {
  replaceFile(noteOf(deps, note.id), `${JSON.stringify(note, null, 2)}\n`, 0o600)
}

export async function removeBackup(deps: Deps, id: string): Promise<void> {
  for (const sealed of [true, false])
    await rm(archiveOf(deps, id, { sealed }), { force: true, maxRetries: 5 })
  await rm(noteOf(deps, id), { force: true, maxRetries: 5 })
}

/** Removes partial archives that a kill left behind. */
export async function sweepParts(deps: Deps): Promise<void> {
  const folder = folderOf(deps)
  for (const name of await namesIn(folder))
    if (name.endsWith(partEnding) && idOf(name.slice(0, -partEnding.length)) !== undefined)
      await rm(join(folder, name), { force: true, maxRetries: 5 })
}

async function describe(deps: Deps, id: string): Promise<Backup | undefined> {
  const found = (await statOf(deps, id, true)) ?? (await statOf(deps, id, false))
  if (!found) return undefined
  const { file, stats, sealed } = found
  const text = await readFile(noteOf(deps, id), 'utf8').catch(() => '')
  const parsed = backupNote.safeParse(jsonOf(text))
  // The note belongs to another archive of this name, or the archive was truncated, so the note's details
  // don't apply.
  if (parsed.success && parsed.data.id === id && parsed.data.bytes === stats.size)
    return { ...parsed.data, sealed, file }
  return {
    id,
    kind: id.startsWith('daily') ? 'scheduled' : 'manual',
    file,
    createdAt: timeIn(id) ?? stats.mtime.toISOString(),
    bytes: stats.size,
    sha256: null,
    version: null,
    memories: null,
    files: null,
    problems: [],
    durationMs: null,
    sealed,
  }
}

async function statOf(deps: Deps, id: string, sealed: boolean) {
  const file = archiveOf(deps, id, { sealed })
  const stats = await stat(file).catch(() => undefined)
  return stats?.isFile() ? { file, stats, sealed } : undefined
}

/** The id in the name of an archive; undefined for other files. */
function idOf(name: string): string | undefined {
  const ending = endings.find(one => name.endsWith(one))
  const id = ending === undefined ? undefined : name.slice(0, -ending.length)
  return backupId.safeParse(id).success ? id : undefined
}

function timeIn(id: string): string | undefined {
  const [, y, mo, d, h, mi, s] = /-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/u.exec(id) ?? []
  const date = new Date(`${y}-${mo}-${d}T${h}:${mi}:${s}.000Z`)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function noteOf(deps: Deps, id: string): string {
  return join(folderOf(deps), `${id}.json`)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
