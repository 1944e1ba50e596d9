import type { SyncError } from '../../../contract/knowledge/connectors.js'
import { clip } from '../../../lib/text/clip.js'

/** The most that one result tells of. */
const toldFaults = 100

const words: Readonly<Record<string, string>> = {
  EACCES: 'the daemon may not read it',
  EPERM: 'the daemon may not read it',
  ENOENT: 'it is not there',
  ENOTDIR: 'it is no folder',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'it has too many links in its path',
}
/** The next sync may succeed without anybody doing anything. */
const passing = new Set(['EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE', 'EIO', 'ESTALE', 'ETIMEDOUT'])

/** What went wrong with single files and folders of one sync: counted all, told the first hundred. */
export class SyncFaults {
  readonly told: SyncError[] = []
  count = 0

  add(resourceId: string, error: unknown): void {
    const { code = '' } = error as NodeJS.ErrnoException
    this.tell({ resourceId, message: reasonOf(error), retryable: passing.has(code) })
  }

  tell(error: SyncError): void {
    this.count++
    if (this.told.length < toldFaults)
      this.told.push({
        ...error,
        resourceId: clip(error.resourceId, 1000),
        message: clip(error.message, 500),
      })
  }
}

/** Why something can't be read, in words. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message)
}
