import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isInside } from '../../../../lib/files/is-inside.js'

/** Where the copy of the database stands in an archive and in a workspace. */
export const databasePath = 'memory/memories.db'

/** What the database leaves beside it. */
const databaseFiles = new Set(['', '-wal', '-shm', '-journal'].map(ending => databasePath + ending))
/** Of `.daemon` what can't be made anew: all else there is derived, or belongs to the machine. */
const kept = ['captures', 'connections', 'hook-spool', 'imports', 'plugins']
/** Derived from the database that is there now: beside another one they would tell of what it does not hold. */
const derived = /^\.daemon\/(?:index|transcripts|artifacts)\.(?:snapshot|segments)/u
const never = /(?:^|\/)(?:\.git|node_modules)(?:\/|$)|\.[0-9a-f-]{36}\.tmp$/u
/** Whoever has it opens the secrets: it stays on its machine. */
const secretsKey = '.secrets/machine.key'
/** The folder for backups, unless the settings name another. */
export const usualFolder = 'backups'
/** Archives and their notes, wherever the settings have or had their folder: none holds others, and none makes way. */
const archive = /(?:^|\/)(?:backup|daily)-\d{8}-\d{6}-[0-9a-f]{6}\.(?:tar\.gz(?:\.part)?|json)$/u

/** Whether a file belongs to backups. @param path from the workspace, with slashes. */
export function isBackedUp(path: string): boolean {
  return isOfWorkspace(path) && !archive.test(path)
}

function isOfWorkspace(path: string): boolean {
  const [top = '', second = '', third] = path.split('/')
  if (never.test(path) || path === secretsKey || databaseFiles.has(path) || top === usualFolder) return false
  return top !== '.daemon' || (third !== undefined && kept.includes(second))
}

/** Whether a file makes way for a restore: what is backed up, the database, and what was derived from it. */
export function makesWay(path: string): boolean {
  return isBackedUp(path) || databaseFiles.has(path) || derived.test(path)
}

export interface Walked {
  /** Paths from the root, with slashes, in order. */
  files: string[]
  /** Links and other things that are no files. */
  leftOut: number
}

/** Every plain file below a folder that is asked for; links are not followed. */
export async function walk(root: string, wanted: (path: string) => boolean): Promise<Walked> {
  const found: Walked = { files: [], leftOut: 0 }
  const into = async (folder: string, prefix: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      // It went while we looked.
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

/** Where a path of an archive is below a folder. */
export function placeIn(folder: string, path: string): string {
  return join(folder, path.split('/').join(sep))
}

/** Whether a path of an archive leads to a place that a restore may write. */
export function mayBeRestored(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every(part => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/u.test(part))
  if (!isPlain || path.length > 4000 || (process.platform === 'win32' && path.includes(':'))) return false
  return (path === databasePath || isOfWorkspace(path)) && isInside('/root', join('/root', path))
}
