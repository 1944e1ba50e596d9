import { openForeign } from '../../../lib/files/open-foreign.js'
import { isOwnFile, placeOf } from '../../../lib/workspace/own-file.js'
import { staysGiven } from '../../platform/auth/given-folders.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { DocumentFault } from './document-fault.js'

type Deps = Pick<Daemon, 'paths' | 'configuration'>

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
 * secrets, settings and conversations of others could be turned into chunks. A path below a folder that was
 * given to a credential must still lead there.
 * @throws DocumentFault with the reason in words
 */
export async function readLocalFile(deps: Deps, path: string): Promise<Buffer> {
  try {
    return await readWhole(deps, path)
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
async function readWhole(deps: Deps, path: string): Promise<Buffer> {
  for (let reads = 0; reads < readsAtOnce; reads++) {
    const bytes = await readUnchanged(deps, path)
    if (bytes) return bytes
  }
  throw new DocumentFault(`${path}: it is being written`, { isPassing: true })
}

/** @returns undefined if the file was written to during the read */
async function readUnchanged({ paths, configuration }: Deps, path: string): Promise<Buffer | undefined> {
  const file = await openForeign(path)
  try {
    const before = await file.stat()
    // Checked after opening, because a folder on the way may have been swapped before.
    const place = await placeOf(file, path, before)
    if (place === undefined || (await isOwnFile(paths, place, before)))
      throw fault(path, 'it belongs to the workspace')
    if (!staysGiven(configuration().settings.auth, { path, place }))
      throw fault(path, 'it leads out of the folder that was given to a credential (auth.folders)')
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
