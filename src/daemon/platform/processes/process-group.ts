import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from '../jobs/worker.js'

/** How long a group may take to end after SIGTERM. */
const defaultKillAfterMs = 5000
const lookEveryMs = 25

type Deps = Pick<Ground, 'paths' | 'log'>

/** Programs left running by a killed daemon. */
export interface LeftoverPrograms extends Worker {
  /** Resolves when none of them is left. */
  reaped(): Promise<void>
}

/**
 * Records a running group, so that the next daemon can end it if this one is killed.
 * @returns a function that removes the record
 */
export function noteGroup({ paths, log }: Deps, leader: number): () => void {
  const file = join(paths.children, String(leader))
  const note = (start: string): void => {
    try {
      mkdirSync(paths.children, { recursive: true, mode: 0o700 })
      writeFileSync(file, start, { mode: 0o600 })
    } catch (error) {
      log.warn({ err: error, pid: leader }, 'running program not recorded; a later start could not end it')
    }
  }
  let isNotingOver = false
  // Must come first: a daemon killed from here on leaves a group that the next one knows.
  const start = startInProc(leader)
  note(start ?? '')
  if (start === undefined)
    void startOfProcess(leader).then(later => {
      if (!isNotingOver && later !== undefined) note(later)
    })
  return () => {
    isNotingOver = true
    rmSync(file, { force: true, maxRetries: 5 })
  }
}

/**
 * Ends the programs that a killed daemon left, once. The records are read before this returns, which must be
 * before the first request; later records are this daemon's own.
 */
export function endLeftoverPrograms(deps: Deps): LeftoverPrograms {
  let reaping: Promise<void> | undefined
  reaping = reapGroups(deps)
    .catch(error => deps.log.warn({ err: error }, 'programs left by the previous daemon may still run'))
    .finally(() => {
      reaping = undefined
    })
  return {
    start: () => undefined,
    busy: () => reaping !== undefined,
    reaped: async () => reaping,
    close: async () => reaping,
  }
}

/** Ends the recorded programs. A pid that was reused by another process is left alone. */
async function reapGroups({ paths, log }: Deps): Promise<void> {
  await Promise.all(
    notesIn(paths.children).map(async ({ file, leader, noted }) => {
      if (Number.isSafeInteger(leader) && leader > 1 && (await isSameGroup(leader, noted))) {
        log.warn({ pid: leader }, 'ending a program left by the previous daemon')
        await endGroup(leader)
      }
      rmSync(file, { force: true, maxRetries: 5 })
    }),
  )
}

function notesIn(folder: string): { file: string; leader: number; noted: string }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map(name => {
    const file = join(folder, name)
    return { file, leader: Number(name), noted: readFileSync(file, 'utf8') }
  })
}

/** A group outlives its leader, and its number is not reused while any member is left. */
async function isSameGroup(leader: number, noted: string): Promise<boolean> {
  if (noted === '') return false
  const start = await startOfProcess(leader)
  if (start !== undefined) return start === noted
  const boot = await startOfProcess(process.pid)
  return boot !== undefined && bootOf(boot) === bootOf(noted)
}

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
function startInProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${boot.trim()} ${ticks}`
  } catch {
    return undefined
  }
}
