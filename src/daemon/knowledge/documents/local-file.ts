import { openForeign } from '../../../lib/files/open-foreign.js'
import { isOwnHandle } from '../../../lib/workspace/own-file.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentFault } from './document-fault.js'

/** Size limit of a file (documents.md#files-and-addresses). */
export const maxFileBytes = 25 * 1024 * 1024

/** Immediate attempts to read a file that is being saved; after that it is retried later. */
const readsAtOnce = 3

/** Temporary errors: the file is locked, or too many files are open. */
const passing = new Set(['ETIMEDOUT', 'EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE', 'EIO', 'ETXTBSY'])
const words: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  ENOTDIR: 'file not found',
  EACCES: 'the daemon has no permission to read it',
  EPERM: 'the daemon has no permission to read it',
  ELOOP: 'it is a link; name its target',
  EISDIR: 'it is a folder; name the files in it',
  ENOTREG: 'it is not a regular file',
  ETIMEDOUT: 'the disk does not answer',
}

/**
 * Reads a local file. Links are not followed, and the workspace's own files are refused, because otherwise
 * secrets, settings and conversations of others could be turned into chunks.
 * @throws DocumentFault with the reason in words
 */
export async function readLocalFile({ paths }: Pick<Daemon, 'paths'>, path: string): Promise<Buffer> {
  try {
    return await readWhole(paths, path)
  } catch (error) {
    if (error instanceof DocumentFault) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    const isPassing = passing.has(code)
    throw new DocumentFault(`${path}: ${words[code] ?? (code || 'it could not be read')}`, {
      isPassing,
      cause: error,
    })
  }
}

/** Reads again if the file changed during the read, because two versions could be mixed. */
async function readWhole(paths: WorkspacePaths, path: string): Promise<Buffer> {
  for (let reads = 0; reads < readsAtOnce; reads++) {
    const bytes = await readUnchanged(paths, path)
    if (bytes) return bytes
  }
  throw new DocumentFault(`${path}: it is being written`, { isPassing: true })
}

/** @returns undefined if the file was written to during the read */
async function readUnchanged(paths: WorkspacePaths, path: string): Promise<Buffer | undefined> {
  const file = await openForeign(path)
  try {
    // Checked after opening, because a folder on the way may have been swapped before.
    if (await isOwnHandle(paths, file, path)) throw fault(path, 'it belongs to the workspace')
    const before = await file.stat()
    if (before.size > maxFileBytes) throw fault(path, 'it is larger than 25 MiB')
    const bytes = await file.readFile()
    if (bytes.length > maxFileBytes) throw fault(path, 'it is larger than 25 MiB')
    const { size, mtimeMs } = await file.stat()
    return size === bytes.length && mtimeMs === before.mtimeMs ? bytes : undefined
  } finally {
    await file.close()
  }
}

function fault(path: string, why: string): DocumentFault {
  return new DocumentFault(`${path}: ${why}`)
}
