import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Writes a file whole or not at all: readers meet the old bytes or the new ones, and they are on the disk when this
 * returns. Folders that are missing are made for their owner alone.
 * @param mode permissions of the new file, whatever the umask says.
 * @throws node's error; the old file is as it was.
 */
export function replaceFile(file: string, content: string | Uint8Array, mode: number): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The global one: to import node:crypto would load all of it for commands that write nothing.
  const temporary = `${file}.${crypto.randomUUID()}.tmp`
  try {
    writeSynced(temporary, content, mode)
    renameSync(temporary, file)
    syncFolder(dirname(file))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function writeSynced(file: string, content: string | Uint8Array, mode: number): void {
  const descriptor = openSync(file, 'wx', mode)
  try {
    fchmodSync(descriptor, mode)
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes the new name last through a power cut; Windows opens no folders and keeps names by itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
