import { readFileSync } from 'node:fs'

/** `.daemon/daemon.json`: address and process of the workspace's daemon, written once it listens. */
export interface Registration {
  pid: number
  host: string
  port: number
  version: string
  startedAt: string
  workspace: string
}

/**
 * @returns undefined if the file is absent, incomplete or not a registration; the daemon then counts as not
 * running.
 */
export function readRegistration(file: string): Registration | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Registration>
    const whole =
      Number.isInteger(value.pid) &&
      Number.isInteger(value.port) &&
      typeof value.host === 'string' &&
      typeof value.version === 'string'
    return whole ? (value as Registration) : undefined
  } catch {
    return undefined
  }
}

/** Returns true if a process with this id runs; a process of another user counts as running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/**
 * Detects a process that has ended but was not reaped. In a container whose init process does not reap, it
 * stays.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    // Node reads UTF-8 faster. The process name, in brackets, may contain anything, so parsing begins after
    // it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1))
  } catch {
    return false
  }
}
