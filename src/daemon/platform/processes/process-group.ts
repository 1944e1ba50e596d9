import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a group may take to end after SIGTERM. */
const defaultKillAfterMs = 5000
const lookEveryMs = 25

/** True while any process of a group is left; on Windows, which has no groups, while the process is. */
export function groupLives(leader: number): boolean {
  return send(leader, 0)
}

/**
 * Ends a process group, with SIGTERM first and SIGKILL later.
 * @param leader pid of a process that was started detached; any other pid would end the caller's own group
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

/** Windows has no process groups: taskkill walks the process tree. */
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
 * Distinguishes a process from a later one with the same pid: by the start of the machine, a blank, and its
 * own start in one word.
 * @returns undefined when the process does not exist, or the system does not tell
 */
export async function startOfProcess(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (platform === 'linux') return startInProc(pid)
  if (platform === 'win32') return undefined
  const [boot, start] = await Promise.all([
    outputOf('sysctl', ['-n', 'kern.boottime']),
    outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]),
  ])
  // Apple's system writes { sec = 1764300000, usec = 12345 } and the date; another one may lack the value.
  const seconds = /\bsec = (\d+)/u.exec(boot)?.[1] ?? '-'
  return start === '' ? undefined : `${seconds} ${start.replaceAll(/\s+/gu, '_')}`
}

/** The start of the machine in such a text. */
export const bootOf = (start: string): string => start.slice(0, start.lastIndexOf(' '))

/** Language and time zone are fixed, since the user may change both while a program runs. */
async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const { execa } = await import('execa')
  const env = { LC_ALL: 'C', TZ: 'UTC' }
  const { stdout, failed } = await execa(program, args, { env, reject: false, windowsHide: true })
  return failed ? '' : stdout.trim()
}

/**
 * The same from /proc, synchronously, on Linux: the boot id and the start's clock tick. That is field 22,
 * counted after the name, which may contain spaces and brackets.
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
