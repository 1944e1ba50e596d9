import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { AppError } from '../../../contract/ground/errors.js'
import { quoted } from '../../../lib/text/clip.js'
import { decodedFolder, type FolderHeader } from '../../../lib/workspace/working-folder.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'

/**
 * Returns the folder in which a caller on this machine works, as its headers say; undefined if they say none,
 * if it is gone, and for a caller on another machine.
 */
export async function folderOf(
  caller: Caller,
  { 'x-service-cwd': cwd }: FolderHeader,
): Promise<string | undefined> {
  if (!isOnThisMachine(caller)) return undefined
  for (const folder of [decodedFolder(cwd), caller.folder])
    if (folder !== undefined && (await isFolder(folder))) return folder
  return undefined
}

/** @throws AppError `validation_failed` unless a command can run there */
export async function assertFolder(cwd: string): Promise<void> {
  if (await isFolder(cwd)) return
  throw new AppError('validation_failed', `cwd ${quoted(cwd)} is not a folder; give an absolute path to one`)
}

async function isFolder(path: string): Promise<boolean> {
  return isAbsolute(path) && ((await stat(path).catch(() => undefined))?.isDirectory() ?? false)
}
