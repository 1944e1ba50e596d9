import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a group may take to end by itself once it was asked to. */
const defaultKillAfterMs = 5000
const lookEveryMs = 25

/** Whether any process of a group is left; on Windows, where there are no groups, whether the process is. */
export function groupLives(leader: number): boolean {
  return send(leader, 0)
}

/**
 * Ends a process that leads a group of its own, and whatever it started: asks first (SIGTERM), then takes (SIGKILL).
 * @param leader pid of a process that was started detached; any other pid would end the group of its caller.
 */
export async function endGroup(leader: number, killAfterMs = defaultKillAfterMs): Promise<void> {
  if (process.platform === 'win32') return endTree(leader)
  if (!send(leader, 'SIGTERM')) return
  for (let waitedMs = 0; waitedMs < killAfterMs; waitedMs += lookEveryMs) {
    await sleep(lookEveryMs)
    if (!groupLives(leader)) return
  }
  send(leader, 'SIGKILL')
}

/** Windows knows no groups: its own tool walks the tree of processes. */
async function endTree(leader: number): Promise<void> {
  const { execa } = await import('execa')
  await execa('taskkill', ['/pid', String(leader), '/T', '/F'], { reject: false, windowsHide: true })
}

function send(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal)
    return true
  } catch {
    return false
  }
}

/**
 * What tells a process from a later one with the same pid: when it was started, in the system's own words.
 * @returns undefined when there is no such process, or the system does not say.
 */
export async function startOfProcess(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return startInProc(pid)
  if (process.platform === 'win32') return undefined
  const { execa } = await import('execa')
  const { stdout, failed } = await execa('ps', ['-o', 'lstart=', '-p', String(pid)], { reject: false })
  return failed || stdout.trim() === '' ? undefined : stdout.trim()
}

/**
 * The same where the system tells it at once, which Linux does: two small files that are in no disk.
 * The boot and the clock tick of the start: field 22, counted behind the name, which may hold spaces and brackets.
 */
export function startInProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${boot.trim()} ${ticks}`
  } catch {
    return undefined
  }
}
