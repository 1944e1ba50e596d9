import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { type Registration, readRegistration } from '../../lib/workspace/registration.js'

/** Says who serves this workspace; written whole by temp file and rename. */
export async function writeRegistration(file: string, registration: Registration): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // The adapter by name: the preset keeps everything in memory when NODE_ENV is test.
  await new Low<Registration>(new JSONFile(file), registration).write()
}

/** Removes the registration of this process; that of another is left alone. */
export async function removeRegistration(file: string, pid: number): Promise<void> {
  if (readRegistration(file)?.pid === pid) await rm(file, { force: true })
}
