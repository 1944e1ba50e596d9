import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

/** Of the file systems that statfs names by number, the one in memory. */
const tmpfs = 0x01021994
const neededBytes = 2 * 1024 ** 3

/**
 * Runs `work` with the environment that puts temporary folders into memory where the machine has such a place, and
 * none is chosen by TMPDIR: daemons of tests wait for the disk thousands of times, and none of them meets a power cut.
 */
export async function withTemporaryFolder(work) {
  const folder = process.env.TMPDIR ? undefined : await folderInMemory('/dev/shm').catch(() => undefined)
  if (!folder) return work({})
  try {
    return await work({ TMPDIR: folder })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** @returns a new folder; undefined where there is no room, or no program may start from (tests write some). */
async function folderInMemory(place) {
  const { type, bavail, bsize } = await statfs(place)
  if (process.platform !== 'linux' || type !== tmpfs || bavail * bsize < neededBytes) return undefined
  const folder = await mkdtemp(join(place, 'memory-service-tests-'))
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o700 })
  const { failed } = await execa(program, { reject: false })
  await rm(failed ? folder : program, { recursive: true })
  return failed ? undefined : folder
}
