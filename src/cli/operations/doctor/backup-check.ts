import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { plainLine } from '../../terminal/text.js'
import type { DaemonStatus, DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

const hourMs = 3_600_000
/** A backup that is so many intervals old was missed more than once. */
const intervalsMissed = 3

/** How old the newest backup is, and whether the last one was made. @param now milliseconds since the epoch. */
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
      evidence: 'a restore is prepared and waits for a restart',
      fix: 'memory daemon restart',
    }
  if (lastError)
    return { severity: 'warning', evidence: `the last one was not made: ${plainLine(lastError)}`, fix }
  const [newest] = backups
  if (!newest) {
    const why = settings.enabled ? 'none yet; the daemon makes one a day' : 'none, and none by the clock'
    return memories === 0
      ? { severity: 'ok', evidence: 'nothing to back up yet' }
      : { severity: 'info', evidence: why, fix }
  }
  const [problem] = newest.problems
  if (problem !== undefined)
    return {
      severity: 'warning',
      evidence: `${newest.id} is of a database with a fault: ${plainLine(problem)}`,
      fix: 'memory backup list',
    }
  const hours = Math.max(0, Math.floor((now - Date.parse(newest.createdAt)) / hourMs))
  const age = hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day')
  const evidence = `${countOf(backups.length, 'backup')}, the newest ${age} old`
  const isLate = settings.enabled && hours > intervalsMissed * settings.intervalHours
  return isLate ? { severity: 'warning', evidence, fix } : { severity: 'ok', evidence }
}
