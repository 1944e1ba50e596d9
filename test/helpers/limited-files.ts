import { execFileSync } from 'node:child_process'
import type { ExecutionContext } from 'ava'

/**
 * A file size limit for a process looks like a full disk to SQLite and Node. It needs no privileges and no
 * extra file system. Only Linux can change the limit of a running process.
 */
const canLimit = process.platform === 'linux' && hasPrlimit()

/** A test that passes without checks where process limits are unsupported. */
export function whereLimits(
  work: (t: ExecutionContext) => Promise<void>,
): (t: ExecutionContext) => Promise<void> {
  return async t => {
    if (canLimit) await work(t)
    else t.pass('this machine cannot limit the files of a running process')
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

/** Forbids a process to grow any file beyond this size; `unlimited` lifts the limit. */
export function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}
