import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Atomically creates a note that only its owner can read; it is on disk when this resolves.
 * @returns false, without a change, when the file exists.
 */
export async function createNote(file: string, text: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(temporary, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(temporary, { force: true, maxRetries: 5 })
  }
}

export async function removeNote(file: string): Promise<void> {
  await rm(file, { force: true, maxRetries: 5 })
}
