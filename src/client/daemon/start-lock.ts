import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { renamePatientlySync } from '../../lib/files/patient-rename.js'
import { storageFault } from '../../lib/files/storage-fault.js'
import { isAlive } from '../../lib/workspace/registration.js'

/** Longer than any start takes. The pid in an older lock may belong to another program by now. */
const maxAgeMs = 120_000
/** Windows answers so for a file that is just being deleted. */
const beingDeleted = new Set(['EPERM', 'EACCES'])
/** A lock without a readable pid is still being written, or its writer died. */
const tornGraceMs = 2_000

/**
 * Acquires the lock for starting or replacing the daemon of a workspace. Exclusive creation prevents two
 * clients that both found no daemon from starting one. It does not cover a start without this lock (`memory
 * daemon run`); there the daemon's own instance lock rejects the second one.
 * @param system is passed by tests.
 * @returns a function that releases it; undefined while another process has it.
 */
export function takeStartLock(file: string, system: System = thisSystem): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${process.pid} ${Date.now()} ${process.hrtime.bigint()}`
  if (create(file, mine, system)) return () => release(file, mine)
  const current = read(file)
  if (current !== undefined && !isStale(current)) return undefined
  if (current !== undefined && !discard(file, current.text, system)) return undefined
  // A single attempt: of several processes that discarded the stale lock, the one whose create succeeds
  // starts the daemon.
  return create(file, mine, system) ? () => release(file, mine) : undefined
}

interface LockFile {
  text: string
  ageMs: number
}

interface System {
  platform: NodeJS.Platform
  write: (file: string, text: string, options: { flag: string; mode: number }) => void
}

const thisSystem: System = { platform: process.platform, write: writeFileSync }

function create(file: string, text: string, { platform, write }: System): boolean {
  try {
    write(file, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || (platform === 'win32' && beingDeleted.has(code))) return false
    // On a full disk the lock file is empty and counts as incomplete; the daemon's own lock rejects a second
    // one.
    if (storageFault(error)) return true
    throw error
  }
}

function read(file: string): LockFile | undefined {
  try {
    return { text: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs }
  } catch {
    return undefined
  }
}

function isStale({ text, ageMs }: LockFile): boolean {
  const pid = Number(/^(\d+) /.exec(text)?.[1])
  if (!pid) return ageMs > tornGraceMs
  return ageMs > maxAgeMs || !isAlive(pid)
}

/**
 * Removes a stale lock. It uses rename, not unlink, so that only one of two processes that found the lock
 * stale removes it. The slower one may still rename the lock that the faster has just created; it notices the
 * different text and restores it. If a third process creates a lock in that moment, two daemons start and the
 * instance lock rejects the second.
 */
function discard(file: string, judged: string, system: System): boolean {
  const aside = `${file}.${process.pid}.stale`
  try {
    renamePatientlySync(file, aside)
  } catch {
    return false
  }
  const moved = readFileSync(aside, 'utf8')
  if (moved !== judged) create(file, moved, system)
  rmSync(aside, { force: true, maxRetries: 5 })
  return moved === judged
}

/** Removes the lock only while it is ours; a lock older than its limit may have a new owner. */
function release(file: string, mine: string): void {
  const text = read(file)?.text
  if (text === mine || text === '') rmSync(file, { force: true, maxRetries: 5 })
}
