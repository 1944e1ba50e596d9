import { execFileSync } from 'node:child_process'
import type { ExecutionContext } from 'ava'

/**
 * A process may be forbidden to make files any larger: to SQLite and to Node that is a disk that takes no writes, and
 * it needs no rights and no file system of its own. Only Linux changes the limit of a process that runs.
 */
const canLimit = process.platform === 'linux' && hasPrlimit()

/** A test that passes where no process can be limited. */
export function whereLimits(
  work: (t: ExecutionContext) => Promise<void>,
): (t: ExecutionContext) => Promise<void> {
  return async t => {
    if (canLimit) await work(t)
    else t.pass('nothing here limits the files of a process that runs')
  }
}

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'])
    return true
  } catch {
    return false
  }
}

/** No file of a process may grow beyond so many bytes from now on; `unlimited` ends that. */
export function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}
