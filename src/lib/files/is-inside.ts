import { isAbsolute, relative, sep } from 'node:path'

/** Whether a path leads to something below a folder, not to the folder itself. @param folder and @param path without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
