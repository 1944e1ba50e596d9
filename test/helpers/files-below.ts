import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of all files below a folder, at any depth, folders themselves aside. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** The files below a folder that hold a text; what a living daemon removes while it is looked for holds nothing. */
export function filesWith(folder: string, text: string): string[] {
  return filesBelow(folder).filter(file => contentIfThere(file)?.includes(text))
}

/** What stands in a file, or nothing when it is gone: a daemon that lives removes files of its own at any time. */
export function contentIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
