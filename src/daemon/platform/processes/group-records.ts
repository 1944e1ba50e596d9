import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from '../jobs/worker.js'
import { endGroup, startInProc, startOfProcess } from './process-group.js'

type Deps = Pick<Ground, 'paths' | 'log'>

/**
 * Writes down that a group runs, so that the next daemon can end it if this one is killed.
 * @returns a function that takes the note back.
 */
export function noteGroup({ paths, log }: Deps, leader: number): () => void {
  const file = join(paths.children, String(leader))
  const note = (start: string): void => {
    try {
      mkdirSync(paths.children, { recursive: true, mode: 0o700 })
      writeFileSync(file, start, { mode: 0o600 })
    } catch (error) {
      log.warn({ err: error, pid: leader }, 'a program runs that the next start would not know of')
    }
  }
  let isNotingOver = false
  // Before anything else happens: a daemon that is killed now leaves a group that the next one knows.
  const start = startInProc(leader)
  note(start ?? '')
  if (start === undefined)
    void startOfProcess(leader).then(later => {
      if (!isNotingOver && later !== undefined) note(later)
    })
  return () => {
    isNotingOver = true
    rmSync(file, { force: true })
  }
}

/** What a killed daemon left running. */
export interface LeftGroups extends Worker {
  /** Resolves when nothing of it is left. */
  reaped(): Promise<void>
}

/**
 * Ends the programs that a killed daemon left, once: what is noted later was started by this daemon. The notes are read
 * before it returns, which has to be before the first request is answered.
 */
export function reapLeftGroups(deps: Deps): LeftGroups {
  let reaping: Promise<void> | undefined
  reaping = reapGroups(deps)
    .catch(error =>
      deps.log.warn({ err: error }, 'programs that the daemon before this one left may still run'),
    )
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

/** Ends the programs that are noted now. A pid that another process has by now is left alone. */
async function reapGroups({ paths, log }: Deps): Promise<void> {
  await Promise.all(
    notesIn(paths.children).map(async ({ file, leader, noted }) => {
      if (Number.isSafeInteger(leader) && leader > 1 && (await isStill(leader, noted))) {
        log.warn({ pid: leader }, 'ending a program that the daemon before this one left')
        await endGroup(leader)
      }
      rmSync(file, { force: true })
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

/** A group outlives its leader: its number is given to nobody else while any member is left. */
async function isStill(leader: number, noted: string): Promise<boolean> {
  if (noted === '') return false
  const start = await startOfProcess(leader)
  if (start !== undefined) return start === noted
  const boot = await startOfProcess(process.pid)
  return boot !== undefined && bootOf(boot) === bootOf(noted)
}

const bootOf = (start: string): string => start.slice(0, start.lastIndexOf(' '))
