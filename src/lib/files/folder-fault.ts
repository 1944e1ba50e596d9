import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quoted } from '../text/clip.js'
import { grantCommand, takeCommand } from '../text/shell-words.js'

/** Reason why a folder is unusable, and its remedy. */
export interface FolderFault {
  why: string
  fix: string
}

/**
 * Checks that a folder can be read and written, or created if it does not exist.
 * @param isOurs returns true if this user may enter and write a folder
 * @returns undefined for a usable folder.
 */
export function folderFault(
  folder: string,
  isOurs: (folder: string) => boolean = mayWrite,
): FolderFault | undefined {
  if (isTooLong(folder))
    return {
      why: `its path is longer than this system takes (${Buffer.byteLength(folder)} bytes, or one name of more than 255): ${quoted(folder)}`,
      fix: 'set SERVICE_WORKSPACE to a folder with a shorter path',
    }
  const own = statsOf(folder)
  if (own)
    return faultOf(folder, own, isOurs, {
      file: { why: `${folder} is not a folder`, fix: 'set SERVICE_WORKSPACE to a folder' },
      foreign: { why: `${folder} is not writable for you`, fix: writableFix(folder, own) },
    })
  const { above, stats } = nearestAncestor(folder)
  const fix = 'set SERVICE_WORKSPACE to a folder that you own'
  return faultOf(above, stats, isOurs, {
    file: { why: `${folder} can't be made: ${above} is not a folder`, fix },
    foreign: { why: `${folder} can't be made: ${above} is not writable for you`, fix },
  })
}

function faultOf(
  folder: string,
  stats: Stats,
  isOurs: (folder: string) => boolean,
  { file, foreign }: Record<'file' | 'foreign', FolderFault>,
): FolderFault | undefined {
  if (!stats.isDirectory()) return file
  if (isOwnersThroughSudo(stats))
    return {
      why: `${folder} belongs to you, and files of root in it would shut you out`,
      fix: 'run it without sudo',
    }
  return isOurs(folder) ? undefined : foreign
}

/** True for root that `sudo` made of a user, in a folder that is not root's. */
function isOwnersThroughSudo({ uid }: Stats): boolean {
  return process.getuid?.() === 0 && process.env.SUDO_UID !== undefined && uid !== 0
}

/** Tests with the longest file name used inside the folder. */
function isTooLong(folder: string): boolean {
  try {
    statSync(join(folder, '.daemon', 'x'.repeat(100)))
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG'
  }
}

/** The owner lacks only permissions; another user needs ownership first. */
function writableFix(folder: string, { uid }: Stats): string {
  return uid === process.getuid?.()
    ? grantCommand(folder, { access: 'write', isFolder: true })
    : takeCommand(folder)
}

/** Returns the nearest ancestor that exists. */
function nearestAncestor(folder: string): { above: string; stats: Stats } {
  const above = dirname(folder)
  const stats = statsOf(above)
  return stats ? { above, stats } : nearestAncestor(above)
}

/** Treats a folder without search permission as missing; the check of its parent then reports the reason. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    // The root of a disk that does not exist has no parent.
    if (dirname(path) === path) throw error
    return undefined
  }
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
