import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of all files below a folder, at any depth, without folders. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/**
 * The files below a folder that contain a text; files that a running daemon deletes during the search are
 * skipped.
 */
export function filesWith(folder: string, text: string): string[] {
  return filesBelow(folder).filter(file => contentIfThere(file)?.includes(text))
}

/**
 * The content of a file, or undefined when it is gone: a running daemon may delete its own files at any time.
 */
export function contentIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
