import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { JSONFilePreset } from 'lowdb/node'
import { type Registration, readRegistration } from '../../lib/registration.js'

/** Says who serves this workspace; written whole by temp file and rename. */
export async function writeRegistration(file: string, registration: Registration): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // What was there may be torn; it is replaced, never read.
  await rm(file, { force: true })
  const document = await JSONFilePreset<Registration>(file, registration)
  await document.write()
}

/** Removes the registration of this process; that of another is left alone. */
export async function removeRegistration(file: string, pid: number): Promise<void> {
  if (readRegistration(file)?.pid === pid) await rm(file, { force: true })
}
