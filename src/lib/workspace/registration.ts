import { readFileSync } from 'node:fs'

/** `.daemon/daemon.json`: who serves this workspace, written by the daemon once it listens. */
export interface Registration {
  pid: number
  host: string
  port: number
  version: string
  startedAt: string
  workspace: string
}

/** @returns undefined when the file is absent, torn or not a registration: callers then treat the daemon as not running. */
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

/** True when a process with this id runs; one owned by another user counts as running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/** Has it ended without anybody taking note? In a container whose first process does not, it stays like that for good. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    // As UTF-8, which Node reads by a shorter way; its name, in brackets, may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1))
  } catch {
    return false
  }
}
