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

/** True when a process with this id exists; one owned by another user counts as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
