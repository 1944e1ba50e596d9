import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { storeFile } from '../../../../contract/secrets/store-file.js'
import { isInside } from '../../../../lib/files/folders.js'
import { jsonOf } from '../../../../lib/text/json-of.js'

/** Path of the database in an archive and in a workspace. */
export const databasePath = 'memory/memories.db'

/** The database and SQLite's files beside it. */
const databaseFiles = new Set(['', '-wal', '-shm', '-journal'].map(ending => databasePath + ending))
/**
 * The folders of `.daemon` that can't be rebuilt: everything else there is derived or belongs to this
 * machine.
 */
const kept = ['captures', 'connections', 'hook-spool', 'imports', 'plugins']
/** Derived from the current database: beside a restored one they would describe rows it does not have. */
const derived = /^\.daemon\/(?:index|transcripts|artifacts)\.(?:snapshot|segments)/u
const never = /(?:^|\/)(?:\.git|node_modules)(?:\/|$)|\.[0-9a-f-]{36}\.tmp$/u
/** This key opens the secrets, so it never leaves its machine. */
const secretsKey = '.secrets/machine.key'
/** Default backup folder when the settings name none. */
export const defaultBackupFolder = 'backups'
/**
 * Archives and their notes wherever the folder is or was: they are neither backed up nor moved by a restore.
 */
const archive = /(?:^|\/)(?:backup|daily)-\d{8}-\d{6}-[0-9a-f]{6}\.(?:tar\.gz(?:\.age)?(?:\.part)?|json)$/u

/** The encrypted secret store is backed up unchanged; its key is not. */
export const secretsPath = '.secrets/secrets.json'

/** First entry: the archive's description. */
export const headerName = 'backup.json'
/** Last entry: sizes and checksums of all files. */
export const manifestName = 'manifest.json'
/** Prefix of every workspace file in the archive. */
export const prefix = 'workspace/'

/** @param path relative to the workspace, with slashes */
export function isBackedUp(path: string): boolean {
  return isOfWorkspace(path) && !archive.test(path)
}

function isOfWorkspace(path: string): boolean {
  const [top = '', second = '', third] = path.split('/')
  // A disk that ignores case lists the key under the name that it was given.
  if (never.test(path) || path.toLowerCase() === secretsKey) return false
  if (databaseFiles.has(path) || top === defaultBackupFolder) return false
  return top !== '.daemon' || (third !== undefined && kept.includes(second))
}

/** A restore moves away all backed-up files, the database, and everything derived from it. */
export function isMovedByRestore(path: string): boolean {
  return isBackedUp(path) || databaseFiles.has(path) || derived.test(path)
}

export interface FolderListing {
  /** Paths relative to the root, with slashes, in order. */
  files: string[]
  /** Links and other entries that are not plain files. */
  leftOut: number
}

/** Lists every wanted plain file below a folder; links are not followed. */
export async function walk(root: string, wanted: (path: string) => boolean): Promise<FolderListing> {
  const found: FolderListing = { files: [], leftOut: 0 }
  const into = async (folder: string, prefix: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      // The folder was deleted during the walk.
      if (error.code === 'ENOENT') return []
      throw error
    })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        if (!never.test(path)) await into(join(folder, entry.name), `${path}/`)
      } else if (!wanted(path)) continue
      else if (entry.isFile()) found.files.push(path)
      else found.leftOut++
    }
  }
  await into(root, '')
  return found
}

/** Converts a path of an archive into a path below a folder. */
export function pathIn(folder: string, path: string): string {
  return join(folder, path.split('/').join(sep))
}

/** Rejects paths that lead outside or that no backup contains. */
export function mayBeRestored(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every(part => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/u.test(part))
  if (!isPlain || path.length > 4000 || (process.platform === 'win32' && path.includes(':'))) return false
  if (isGuardedElsewhere(path)) return false
  return (path === databasePath || isOfWorkspace(path)) && isInside('/root', join('/root', path))
}

/**
 * True for another spelling of a path that is never restored: file systems ignore case, Unicode form, and
 * trailing dots and blanks, or have short names such as `GIT~1`.
 */
function isGuardedElsewhere(path: string): boolean {
  const plain = path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
  const parts = plain.split('/').map(part => part.replace(/(?<![. ])[. ]+$/u, ''))
  const [top = ''] = parts
  if (parts.some(part => part === '.git' || /^git~\d+$/u.test(part))) return true
  if (/^(?:daemon|secret)~\d+$/u.test(top)) return true
  if ((top === '.daemon' || top === '.secrets') && !path.startsWith(`${top}/`)) return true
  const read = parts.join('/')
  return read !== path && (read === secretsKey || databaseFiles.has(read))
}

/**
 * @returns id of the inner key that encrypts a secret store; null without a store. @param text content of the
 * file
 */
export function innerKeyIn(text: string | undefined): string | null {
  const parsed = text === undefined ? undefined : storeFile.safeParse(jsonOf(text))
  return parsed?.success ? parsed.data.dek.id : null
}

/** Why an archive is rejected, in words for the person who named it. */
export class ArchiveFault extends Error {
  override name = 'ArchiveFault'
}

/** An archive that none of the given keys opens. */
export class SealedFault extends ArchiveFault {
  override name = 'SealedFault'
}
