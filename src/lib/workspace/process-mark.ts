import { readFileSync, readlinkSync } from 'node:fs'

interface ProcessStatus {
  /** Letter of the state: Z and X are processes that have ended. */
  state: string
  /** Ticks from the start of the machine to that of the process. */
  startTicks: string
}

/** Position of the start among the fields after the state. */
const startAt = 18

/** @returns undefined without /proc, and for a process that is gone or hidden. */
export function processStatus(pid: number): ProcessStatus | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    // Node reads UTF-8 faster. The process name, in brackets, may contain anything, so parsing begins after
    // it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state, startTicks: fields[startAt] ?? '' }
  } catch {
    return undefined
  }
}

/**
 * Identifies a process for as long as it runs: by the start of the machine and its own. A pid alone is given
 * to another process later, and the id of a thread answers like a pid.
 * @returns undefined for a process that has ended, and where the system has no /proc.
 */
export function processMark(pid: number): string | undefined {
  const status = processStatus(pid)
  if (!status || hasEnded(status)) return undefined
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${status.startTicks}`
  } catch {
    return undefined
  }
}

export function hasEnded({ state }: ProcessStatus): boolean {
  return state === 'Z' || state === 'X'
}

/** Identifies the network of this process: in another one, a port belongs to other programs. */
export function networkMark(): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readlinkSync('/proc/self/ns/net')
  } catch {
    return undefined
  }
}
