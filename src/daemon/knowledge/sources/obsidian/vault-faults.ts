import type { SourceEvent } from '../core/kind.js'

/** Errors of the system in words; any other is told by its code. */
const words: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  ENOTDIR: 'it is no folder',
  EACCES: 'the daemon may not read it',
  EPERM: 'the daemon may not read it',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk could not read it',
}

/** What somebody may do no file of whom can be read. */
export function reasonOf(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return words[code] ?? (code || message || 'it could not be read')
}

/** What a person can do where something is denied; undefined for other faults. */
export function guidanceFor(error: unknown, path: string, platform = process.platform): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  return platform === 'darwin'
    ? `allow the program that starts the daemon to read ${path}: System Settings > Privacy & Security > Full Disk Access (or Files and Folders), then memory daemon restart`
    : `let the user who runs the daemon read ${path}: chmod -R u+rX ${JSON.stringify(path)}, or start the daemon as a user who may`
}

/** A fault of one path as an event. @param absolute the same path on this machine */
export function faultOf(path: string, error: unknown, absolute: string): SourceEvent {
  const guidance = guidanceFor(error, absolute)
  return {
    event: 'fault',
    path,
    message: reasonOf(error),
    isRecoverable: true,
    ...(guidance && { guidance }),
  }
}
