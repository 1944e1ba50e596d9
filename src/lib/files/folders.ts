import { homedir, userInfo } from 'node:os'
import { isAbsolute, relative, sep } from 'node:path'

/**
 * Returns the current user's home folder. Node passes an empty HOME on as it is, and paths below it would
 * land in the current folder; the system's user record is used instead.
 * @throws Error if the home folder is unknown, as in a container for a user without a name.
 */
export function homeFolder(): string {
  const home = homeIfKnown()
  if (home) return home
  throw new Error('home folder not found: set HOME, or SERVICE_WORKSPACE to the folder of your memories')
}

/** Returns the current user's home folder; undefined, as in a container for a user without a name. */
export function homeIfKnown(): string | undefined {
  return emptyOnError(homedir) || emptyOnError(() => userInfo().homedir) || undefined
}

function emptyOnError(look: () => string): string | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/**
 * Returns true for a path below a folder, false for the folder itself. Both paths must be free of symbolic
 * links.
 */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
