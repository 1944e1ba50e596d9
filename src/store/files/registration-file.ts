import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { type Registration, readRegistration } from '../../lib/workspace/registration.js'

/** Atomically writes which daemon serves this workspace. */
export async function writeRegistration(file: string, registration: Registration): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Names the adapter, because the preset stays in memory when NODE_ENV is test.
  await new Low<Registration>(new JSONFile(file), registration).write()
}

/** Removes the registration of this process, but not that of another. */
export async function removeRegistration(file: string, pid: number): Promise<void> {
  if (readRegistration(file)?.pid === pid) await rm(file, { force: true })
}
