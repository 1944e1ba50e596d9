import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ForeignFileFault, readForeignBytes } from '../../../../lib/files/open-foreign.js'
import { replaceFileMeanwhile } from '../../../../lib/files/replace-file.js'
import { mostSegmentBytes } from '../files/segment.js'
import { type StoredFile, type Transport, TransportFault } from './transport.js'

/** The folder in the folder that a person named, so that other files beside it are left alone. */
const own = 'memory-sync'
/** Store, kind or device, file. */
const depth = 3
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A folder that another program copies to the other machines: Dropbox, Syncthing, iCloud, a share. */
export function folderTransport(folder: string): Transport {
  const root = join(folder, own)
  const at = (name: string): string => join(root, ...name.split('/'))
  const inFolder = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await stat(folder)
    } catch (error) {
      throw new TransportFault(
        `the folder ${folder} is not there; create it, or connect its drive or the program that copies it`,
        { cause: error },
      )
    }
    return work()
  }
  return {
    place: folder,
    list: () => inFolder(() => filesBelow(root, '', depth)),
    get: name => inFolder(() => ifThere(readForeignBytes(at(name), { maxBytes: mostSegmentBytes }))),
    put: (name, bytes) =>
      inFolder(async () => {
        if (await ifThere(stat(at(name)))) return
        try {
          await replaceFileMeanwhile(at(name), bytes, 0o600)
        } catch (error) {
          const { code = '', message } = error as NodeJS.ErrnoException
          throw new TransportFault(`a file can't be written to ${folder}: ${message}`, {
            kind: fullCodes.has(code) ? 'full' : 'refused',
            cause: error,
          })
        }
      }),
    remove: name => inFolder(() => rm(at(name), { force: true, maxRetries: 5 })),
    close: async () => undefined,
  }
}

async function filesBelow(root: string, folder: string, levels: number): Promise<StoredFile[]> {
  const entries = (await ifThere(readdir(join(root, folder), { withFileTypes: true }))) ?? []
  const found: StoredFile[] = []
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && levels > 1) found.push(...(await filesBelow(root, name, levels - 1)))
    else if (entry.isFile()) {
      const file = await ifThere(stat(join(root, name)))
      if (file) found.push({ name, bytes: file.size })
    }
  }
  return found
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    // One that does not answer is not downloaded yet.
    if (error instanceof ForeignFileFault || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined
    throw new TransportFault((error as Error).message, { cause: error })
  }
}
