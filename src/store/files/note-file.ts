import { randomUUID } from 'node:crypto'
import { access, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a note whole or not at all, for its owner alone; it is on the disk when this resolves. */
export async function writeNote(file: string, text: string): Promise<void> {
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
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export async function removeNote(file: string): Promise<void> {
  await rm(file, { force: true })
}

export function hasNote(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
