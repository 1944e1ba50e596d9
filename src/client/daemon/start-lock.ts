import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { storageFault } from '../../lib/files/storage-fault.js'
import { isAlive } from '../../lib/workspace/registration.js'

/** Older than any start takes: the pid in the lock may be another program's by now. */
const maxAgeMs = 120_000
/** A lock without a readable pid is one that is being written, or whose writer died in between. */
const tornGraceMs = 2_000

/**
 * Takes the lock under which one process starts or replaces the daemon of a workspace.
 *
 * Exclusive create closes the race of two CLIs that both found no daemon. It cannot close the one of a start
 * without a lock (`memory daemon run`): there the daemon's own instance lock refuses the second one.
 * @returns what releases it; undefined while somebody else holds it.
 */
export function takeStartLock(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${process.pid} ${Date.now()} ${process.hrtime.bigint()}`
  if (create(file, mine)) return () => release(file, mine)
  const held = read(file)
  if (held !== undefined && !isStale(held)) return undefined
  if (held !== undefined && !discard(file, held.text)) return undefined
  // One attempt only: of several processes that discarded the old lock, the one whose create succeeds starts the
  // daemon.
  return create(file, mine) ? () => release(file, mine) : undefined
}

interface Held {
  text: string
  ageMs: number
}

function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // On a full disk the lock is empty and counts as torn; the daemon's own lock refuses a second one.
    if (storageFault(error)) return true
    throw error
  }
}

function read(file: string): Held | undefined {
  try {
    return { text: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs }
  } catch {
    return undefined
  }
}

function isStale({ text, ageMs }: Held): boolean {
  const pid = Number(/^(\d+) /.exec(text)?.[1])
  if (!pid) return ageMs > tornGraceMs
  return ageMs > maxAgeMs || !isAlive(pid)
}

/**
 * Removes a lock judged stale. Rename, not unlink: of two processes that judged the same lock only one gets it.
 * The slower one may still rename the lock that the faster has just created; it sees a text that it did not
 * judge and puts it back. A third process may create a lock in that moment, then two start a daemon and the
 * instance lock refuses the second.
 */
function discard(file: string, judged: string): boolean {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch {
    return false
  }
  const taken = readFileSync(aside, 'utf8')
  if (taken !== judged) create(file, taken)
  rmSync(aside, { force: true })
  return taken === judged
}

/** Removes the lock only while it is still ours: one that was held for too long may have a new owner. */
function release(file: string, mine: string): void {
  const text = read(file)?.text
  if (text === mine || text === '') rmSync(file, { force: true })
}
