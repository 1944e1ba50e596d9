import type { SyncError } from '../../../contract/knowledge/connectors.js'
import { clip } from '../../../lib/text/clip.js'

/** Faults listed in one result. */
const maxListed = 100

const words: Readonly<Record<string, string>> = {
  EACCES: 'the daemon has no permission to read it',
  EPERM: 'the daemon has no permission to read it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'it has too many links in its path',
}
/** Error codes that the next sync may overcome by itself. */
const passing = new Set(['EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE', 'EIO', 'ESTALE', 'ETIMEDOUT'])

/** Faults of single files and folders during one sync: all are counted, the first hundred are listed. */
export class SyncFaults {
  readonly listed: SyncError[] = []
  count = 0

  add(resourceId: string, error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    this.record({ resourceId, message: reasonOf(error), retryable: passing.has(code) })
  }

  record(error: SyncError): void {
    this.count++
    if (this.listed.length < maxListed)
      this.listed.push({
        ...error,
        resourceId: clip(error.resourceId, 1000),
        message: clip(error.message, 500),
      })
  }
}

/** Explains in words why something is unreadable. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message)
}
