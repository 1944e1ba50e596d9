import { rm } from 'node:fs/promises'
import { replaceFile } from '../../lib/files/replace-file.js'
import { type Registration, readRegistration } from '../../lib/workspace/registration.js'

/** Atomically writes which daemon serves this workspace. */
export function writeRegistration(file: string, registration: Registration): void {
  replaceFile(file, `${JSON.stringify(registration, null, 2)}\n`, 0o600)
}

/**
 * Marks the registration of this process before it gives up its port: clients that connect later could reach
 * another program. If the disk takes no mark, the registration is removed.
 */
export async function markClosing(file: string, pid: number): Promise<void> {
  const registration = readRegistration(file)
  if (registration?.pid !== pid) return
  try {
    writeRegistration(file, { ...registration, closing: true })
  } catch {
    await rm(file, { force: true, maxRetries: 5 })
  }
}

/** Removes the registration of this process, but not that of another. */
export async function removeRegistration(file: string, pid: number): Promise<void> {
  if (readRegistration(file)?.pid === pid) await rm(file, { force: true, maxRetries: 5 })
}
