import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

/** The statfs type number of the in-memory file system. */
const tmpfs = 0x01021994
const neededBytes = 2 * 1024 ** 3

/**
 * Runs `work` with temporary folders in memory if the machine supports it and TMPDIR is not set. Test daemons
 * wait for the disk thousands of times, and no test involves a power cut.
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

/**
 * @returns a new folder; undefined if there is too little room, or programs cannot run from it (tests write
 * some).
 */
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
