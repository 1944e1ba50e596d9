import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../../ground/ground.js'
import type { Worker } from '../jobs/worker.js'
import { bootOf, endGroup, startInProc, startOfProcess } from './process-group.js'

type Deps = Pick<Ground, 'paths' | 'log'>

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

/** Programs left running by a killed daemon. */
export interface LeftoverPrograms extends Worker {
  /** Resolves when none of them is left. */
  reaped(): Promise<void>
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
