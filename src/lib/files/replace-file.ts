import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renamePatiently, renamePatientlySync } from './patient-rename.js'

/**
 * Replaces a file atomically: readers see the old bytes or the new ones, and the new ones are on the disk
 * when this returns. Missing folders are created for their owner alone.
 * @param mode permissions of the new file, whatever the umask.
 * @throws Node's error; the old file is unchanged then.
 */
export function replaceFile(file: string, content: string | Uint8Array, mode: number): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The global `crypto`: importing node:crypto would load the whole module for commands that write nothing.
  const temporary = `${file}.${crypto.randomUUID()}.tmp`
  try {
    writeSynced(temporary, content, mode)
    renamePatientlySync(temporary, file)
    syncFolder(dirname(file))
  } catch (error) {
    rmSync(temporary, { force: true, maxRetries: 5 })
    throw error
  }
}

/** The same while other work goes on: disks of other machines and full ones are slow. */
export async function replaceFileMeanwhile(file: string, content: Uint8Array, mode: number): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${crypto.randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', mode)
    try {
      await handle.chmod(mode)
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await renamePatiently(temporary, file)
    if (process.platform === 'win32') return
    const folder = await open(dirname(file))
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(temporary, { force: true, maxRetries: 5 })
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

/** Makes the rename survive a power cut. Windows cannot open folders and persists names itself. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
