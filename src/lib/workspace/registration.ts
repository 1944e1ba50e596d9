import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { hasEnded, processMark, processStatus } from './process-mark.js'

/** `.daemon/daemon.json`: address and process of the workspace's daemon, written once it listens. */
export interface Registration {
  pid: number
  host: string
  port: number
  version: string
  startedAt: string
  workspace: string
  /** Instance id of the workspace, a secret (`instance-file.ts`). */
  instance?: string
  /** Identifies the process beyond its pid (`process-mark.ts`); absent where the system does not tell. */
  process?: string
  /** Network in which it listens; absent where the system does not tell. */
  network?: string
  /** True once the daemon gives its port back. */
  closing?: boolean
}

/**
 * @returns undefined if the file is absent, incomplete or not a registration; the daemon then counts as not
 * running.
 */
export function readRegistration(file: string): Registration | undefined {
  return parseRegistration(readRegistrationText(file))
}

/** @returns '' if the file cannot be read. */
export function readRegistrationText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @returns undefined for an incomplete text, or one of another kind. */
export function parseRegistration(text: string): Registration | undefined {
  try {
    const value = JSON.parse(text) as Partial<Registration>
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

/** Clocks are set by less than this while a machine starts. */
const clockSlackMs = 60_000

/**
 * Returns true if the registered process runs. After a crash its pid may belong to another process, which
 * counts as dead where the system tells them apart. Elsewhere no process from before the start of the machine
 * runs.
 * @param upMs milliseconds since the start of the machine
 */
export function isRunning(
  { pid, process: mark, startedAt }: Registration,
  upMs = (): number => uptime() * 1000,
): boolean {
  if (mark !== undefined) return processMark(pid) === mark
  const isOlder = Date.parse(startedAt) < Date.now() - upMs() - clockSlackMs
  return !isOlder && isAlive(pid)
}

/** Returns true if a process with this id runs; a process of another user counts as running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // In a container whose init process does not reap, a process that has ended stays.
  const status = processStatus(pid)
  return status === undefined || !hasEnded(status)
}
