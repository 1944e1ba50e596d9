import { recallBody, rememberBody } from '../../../../contract/memory/memory.js'
import type { BackupList } from '../../../../contract/operations/backup.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { messageOf } from '../../../../lib/text/message-of.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { readBoundary } from '../../../ground/visibility/boundary.js'
import { type Caller, ownCaller } from '../../../ground/visibility/caller.js'
import { tryRecall } from '../../../memory/recall/recall.js'
import { newMemory } from '../../../memory/remember/new-memory.js'
import { saveWithin } from '../../../memory/remember/remember.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { listBackups } from '../../backup/backups.js'
import { syncStatusOf } from '../../sync/exchange/status.js'
import { type DiagnosticsInput, finding, fine } from '../findings/finding.js'

const hourMs = 3_600_000
/** Age of the newest backup in intervals that triggers a warning, because several backups were missed. */
const intervalsMissed = 3

/** Findings about the newest backup; a confined caller gets none. */
export async function backupFindings({ daemon, survey, now, confined }: DiagnosticsInput) {
  return confined ? [] : [backupFinding(await listBackups(daemon), survey.memories.alive, now.getTime())]
}

/** Warnings about the sync with other machines; none while it is off. */
export async function syncFindings({ daemon, confined }: DiagnosticsInput) {
  const { troubles, state, devices } = await syncStatusOf(daemon)
  if (confined || state === 'off') return []
  const others = devices.filter(one => !one.self && one.state === 'member').length
  if (troubles.length === 0) return [fine('sync', `with ${countOf(others, 'other machine')}`)]
  return troubles.map(({ text, command }) =>
    finding({ id: 'sync', severity: 'warning', evidence: text, fix: command }),
  )
}

type ShownBackups = Pick<BackupList, 'settings' | 'lastError' | 'pendingRestore'> & {
  backups: readonly Pick<BackupList['backups'][number], 'id' | 'createdAt' | 'problems'>[]
}

/** The age of the newest backup and the result of the last run. @param now milliseconds since the epoch */
export function backupFinding(
  { backups, settings, lastError, pendingRestore }: ShownBackups,
  memories: number,
  now: number,
) {
  const id = 'backup'
  const fix = 'memory backup create'
  const warning = (evidence: string, remedy = fix) =>
    finding({ id, severity: 'warning', evidence, fix: remedy })
  if (pendingRestore)
    return warning('a restore is prepared; the next start applies it', 'memory daemon restart')
  if (lastError) return warning(`the last backup failed: ${oneLine(lastError, 300)}`)
  const [newest] = backups
  if (!newest && memories === 0) return fine(id, 'nothing to back up yet')
  if (!newest)
    return settings.enabled
      ? fine(id, 'none yet; the daemon creates one a day')
      : finding({ id, severity: 'info', evidence: 'none, and scheduled backups are off', fix })
  const [problem] = newest.problems
  if (problem !== undefined)
    return warning(
      `${newest.id} was taken from a damaged database: ${oneLine(problem, 300)}`,
      'memory backup list',
    )
  const hours = Math.max(0, Math.floor((now - Date.parse(newest.createdAt)) / hourMs))
  const age = hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day')
  const evidence = `${countOf(backups.length, 'backup')}, newest ${hours === 0 ? 'just made' : `${age} old`}`
  const isLate = settings.enabled && hours > intervalsMissed * settings.intervalHours
  return isLate ? warning(evidence) : fine(id, evidence)
}

/** Thrown to undo the save of a trial. */
class TrialEnd extends Error {}

/** Newest memories of which a recall must find one. */
const soughtMemories = 5

/** The finding of a round trip, which is made once for a survey: every status asks for it. */
const roundTrips = new WeakMap<DiagnosticsInput['survey'], ReturnType<typeof makeRoundTrip>>()

/**
 * Saves a memory in a transaction that is undone, and recalls stored ones by their words as a trial. Neither
 * leaves a trace, and no text is sent to a provider.
 */
export async function roundTripFinding({ daemon, survey }: DiagnosticsInput) {
  const problem = daemon.room.problem()
  const skipped = (why: string) => finding({ id: roundTripId, severity: 'info', evidence: `skipped: ${why}` })
  if (problem) return skipped(problem)
  if (daemon.configuration().settings.memory.pipelineV2.mutationsFrozen) return skipped('writes are frozen')
  const made = roundTrips.get(survey) ?? makeRoundTrip(daemon)
  roundTrips.set(survey, made)
  return made
}

const roundTripId = 'round-trip'

async function makeRoundTrip(daemon: Daemon) {
  const id = roundTripId
  const broken = (evidence: string) => finding({ id, severity: 'error', evidence, fix: 'memory daemon logs' })
  const started = performance.now()
  try {
    const caller = ownCaller(daemon, 'diagnostics')
    await trySave(daemon, caller)
    const saved = performance.now()
    const missed = await missedByRecall(daemon, caller)
    if (missed) return broken(`memory ${missed} is stored, but recall does not find it`)
    const ms = (from: number, to: number) => `${(to - from).toFixed(1)} ms`
    return fine(id, `saved and undone in ${ms(started, saved)}, recalled in ${ms(saved, performance.now())}`)
  } catch (error) {
    return broken(`a memory could not be saved and recalled: ${oneLine(messageOf(error), 300)}`)
  }
}

async function trySave(daemon: Daemon, caller: Caller): Promise<void> {
  const body = rememberBody.parse({ content: `Diagnostics ${daemon.newId()}`, visibility: 'private' })
  const boundary = await readBoundary(daemon, caller, body)
  const memory = await newMemory(daemon, caller, body, boundary)
  const cut = { parts: 0, characters: 0, unclosed: 0 }
  const trial = daemon.store.transaction(async tables => {
    await saveWithin(daemon, tables, caller, { body, cut, boundary, memory, embedded: undefined })
    throw new TrialEnd()
  })
  await trial.catch((error: unknown) => {
    if (!(error instanceof TrialEnd)) throw error
  })
}

/** @returns the id of the newest memory, if a recall by words finds none of the newest ones */
async function missedByRecall(daemon: Daemon, caller: Caller): Promise<string | undefined> {
  if ((await daemon.index.stats()).state !== 'ready') return undefined
  const boundary = await readBoundary(daemon, caller, {})
  const newest = await daemon.store.tables.memories.list(boundary, {}, { limit: soughtMemories, offset: 0 })
  const sought = newest.filter(row => row.safety_status === 'clean')
  for (const { content } of sought) {
    const query = content.slice(0, 200)
    const body = recallBody.parse({ query, limit: 1, score_min: 0 })
    if ((await tryRecall(daemon, caller, { ...body, channels: ['keyword'] })).results.length > 0)
      return undefined
  }
  return sought[0]?.id
}
