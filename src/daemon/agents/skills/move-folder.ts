import { randomUUID } from 'node:crypto'
import { cp, mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { renamePatiently } from '../../../lib/files/patient-rename.js'

/**
 * Moves a folder or link in one step, so a reader never sees half of it. Between file systems it copies to a
 * hidden folder first.
 */
export async function moveFolder(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await renamePatiently(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyThenRename(from, to)
  }
}

async function copyThenRename(from: string, to: string): Promise<void> {
  const copy = join(dirname(to), `.${basename(to)}.${randomUUID()}`)
  try {
    await cp(from, copy, { recursive: true, verbatimSymlinks: true })
    await renamePatiently(copy, to)
  } catch (error) {
    await rm(copy, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
  await rm(from, { recursive: true, force: true, maxRetries: 5 })
}
