import { isAbsolute, relative, sep } from 'node:path'

/**
 * Returns true for a path below a folder, false for the folder itself. Both paths must be free of symbolic
 * links.
 */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
