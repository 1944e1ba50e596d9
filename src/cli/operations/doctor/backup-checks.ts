import { realpathSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { plainLine } from '../../terminal/text.js'
import type { DaemonStatus, DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

const hourMs = 3_600_000
/** Age of the newest backup in intervals that triggers a warning, because several backups were missed. */
const intervalsMissed = 3

/**
 * Checks the age of the newest backup and the result of the last run. @param now milliseconds since the
 * epoch.
 */
export function checkBackup(
  { call }: DoctorContext,
  { memories }: Pick<DaemonStatus, 'memories'>,
  now = Date.now(),
): Promise<Outcome> {
  return ifAllowed(
    call('GET /api/backup').then(list => outcomeOf(list, memories, now)),
    one => one,
  )
}

function outcomeOf(list: Reply<'GET /api/backup'>, memories: number, now: number): Outcome {
  const { backups, settings, lastError, pendingRestore } = list
  const fix = 'memory backup create'
  if (pendingRestore)
    return {
      severity: 'warning',
      evidence: 'a restore is prepared; the next start applies it',
      fix: 'memory daemon restart',
    }
  if (lastError)
    return { severity: 'warning', evidence: `the last backup failed: ${plainLine(lastError)}`, fix }
  const [newest] = backups
  if (!newest) {
    const why = settings.enabled
      ? 'none yet; the daemon creates one a day'
      : 'none, and scheduled backups are off'
    return memories === 0
      ? { severity: 'ok', evidence: 'nothing to back up yet' }
      : { severity: 'info', evidence: why, fix }
  }
  const [problem] = newest.problems
  if (problem !== undefined)
    return {
      severity: 'warning',
      evidence: `${newest.id} was taken from a damaged database: ${plainLine(problem)}`,
      fix: 'memory backup list',
    }
  const hours = Math.max(0, Math.floor((now - Date.parse(newest.createdAt)) / hourMs))
  const age = hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day')
  const evidence = `${countOf(backups.length, 'backup')}, newest ${age} old`
  const isLate = settings.enabled && hours > intervalsMissed * settings.intervalHours
  return isLate ? { severity: 'warning', evidence, fix } : { severity: 'ok', evidence }
}

/**
 * Finds other copies of this program on the PATH, since an update changes only one. @param env contains the
 * PATH of this terminal.
 */
export async function checkCopies(
  { remote, platform }: Pick<DoctorContext, 'remote' | 'platform'>,
  _status?: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const copies = remote ? [] : copiesOn(env, platform)
  if (copies.length < 2)
    return { severity: 'ok', evidence: `${countOf(copies.length, 'copy', 'copies')} on the PATH` }
  return {
    severity: 'warning',
    evidence: `${copies.length} copies of memory are on the PATH: ${copies.join(', ')}; an update changes only one`,
    fix: `remove all but ${copies[0]}`,
  }
}

/** Lists each installation once, even if several links and folders of the PATH lead to it. */
function copiesOn(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter)
  const found = folders.flatMap(folder => findProgram({ env, platform }, 'memory', folder) ?? [])
  const byPlace = new Map(found.map(file => [realpathSync(file), file] as const).reverse())
  return [...byPlace.values()].reverse()
}
