import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { Reply } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { roundTripReason } from '../../memory/forget.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { formatDuration } from '../../terminal/output.js'
import { clipText, formatMs, plainLine } from '../../terminal/text.js'
import { checkMessages, checkPlugins, checkSkills, checkTasks } from './agent-checks.js'
import type { DaemonCheck, DaemonStatus, DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

type Status = Reply<'GET /api/secrets/store/status'>

const places: Readonly<Record<NonNullable<Status['source']>, string>> = {
  keyfile: 'key in .secrets/machine.key',
  keychain: 'key in the keychain',
  passphrase: 'protected with a passphrase',
}

const remedies: Readonly<Partial<Record<Status['state'], string>>> = {
  locked: 'memory secrets unlock',
  unavailable: 'unlock the keychain of this machine, then run memory doctor again',
  damaged: 'restore .secrets from a backup; until then it is read-only',
}

/** Opens the store like any command with secrets does, including the keychain. */
function checkSecrets({ call }: DoctorContext): Promise<Outcome> {
  return ifAllowed(call('GET /api/secrets/store/status'), outcomeOf)
}

function outcomeOf({ state, source, secrets, problem }: Status): Outcome {
  if (state === 'none') return { severity: 'ok', evidence: 'no secrets stored' }
  const where = source ? places[source] : 'unknown protection'
  if (state === 'open')
    return { severity: 'ok', evidence: `${countOf(secrets ?? 0, 'secret')}, store unlocked, ${where}` }
  return {
    severity: state === 'locked' ? 'warning' : 'error',
    evidence: `${problem} (${where})`,
    fix: remedies[state],
  }
}

/** Asks the programs of the connected password managers if they can still be opened. */
function checkPasswordManagers({ call }: DoctorContext): Promise<Outcome> {
  const asked = Promise.all([call('GET /api/secrets/vaulta/status'), call('GET /api/secrets/vaultb/status')])
  return ifAllowed(asked, managersOutcome)
}

function managersOutcome([bitwarden, onePassword]: [
  Reply<'GET /api/secrets/vaulta/status'>,
  Reply<'GET /api/secrets/vaultb/status'>,
]): Outcome {
  const managers = [
    { name: 'Bitwarden', connected: bitwarden.connected, opens: bitwarden.status === 'unlocked' },
    { name: '1Password', connected: onePassword.connected, opens: onePassword.problem === null },
  ].filter(manager => manager.connected)
  if (managers.length === 0) return { severity: 'ok', evidence: 'none connected' }
  const shut = managers.filter(({ opens }) => !opens)
  if (shut.length === 0) return { severity: 'ok', evidence: `open: ${namesOf(managers)}` }
  const words = [bitwarden.problem ?? bitwarden.status, onePassword.problem].filter(Boolean).join('; ')
  return {
    severity: 'warning',
    evidence: `cannot be read: ${namesOf(shut)} (${words})`,
    fix: `memory secrets provider connect ${shut[0]?.name.toLowerCase()}`,
  }
}

function namesOf(managers: readonly { name: string }[]): string {
  return managers.map(({ name }) => name).join(', ')
}

const fix = 'memory daemon logs'

/** Maximum number of memories that are named. */
const mostNamed = 3

/** Checks that ask a running daemon about its state and its work. */
export const daemonChecks: readonly DaemonCheck[] = [
  { id: 'daemon', run: checkDaemon },
  { id: 'version', run: checkVersion },
  { id: 'plugins', run: checkPlugins },
  { id: 'code', run: checkCode },
  { id: 'secrets', run: checkSecrets },
  { id: 'password-managers', run: checkPasswordManagers },
  { id: 'skills', run: checkSkills },
  { id: 'messages', run: checkMessages },
  { id: 'tasks', run: checkTasks },
  { id: 'copies', run: checkCopies },
  { id: 'backup', run: checkBackup },
  { id: 'round-trip', run: checkRoundTrip },
]

async function checkDaemon(
  _: DoctorContext,
  { pid, host, port, uptime, settingsProblems }: DaemonStatus,
): Promise<Outcome> {
  const evidence = `pid ${pid} at ${host}:${port}, up ${formatDuration(uptime)}`
  if (settingsProblems.length === 0) return { severity: 'ok', evidence }
  const named = settingsProblems.map(plainLine).join('; ')
  return {
    severity: 'warning',
    evidence: `${evidence}; it does not use all settings of agent.yaml: ${named}`,
    fix: 'correct agent.yaml, or decide about settings that wait: memory git settings',
  }
}

async function checkVersion({ version, remote }: DoctorContext, status: DaemonStatus): Promise<Outcome> {
  if (status.version === version) return { severity: 'ok', evidence: version }
  return {
    severity: 'warning',
    evidence: `the daemon is ${status.version}, this program ${version}`,
    fix: remote ? `update the daemon at ${remote}` : 'memory daemon restart',
  }
}

/** Checks for memories about code that has changed or disappeared since; skipped while the plugin is off. */
export async function checkCode({ call }: DoctorContext): Promise<Outcome> {
  const { plugins } = await call('GET /api/plugins')
  const state = plugins.find(({ id }) => id === 'service.codeindex')?.state
  if (state !== 'active' && state !== 'degraded') return { severity: 'ok', evidence: 'the code index is off' }
  const { memories, count } = await call('GET /api/code/moved', { query: { limit: 100 } })
  if (count === 0) return { severity: 'ok', evidence: 'no memory refers to changed code' }
  const named = memories.slice(0, mostNamed).map(({ id, content, moved }) => {
    const ground = moved.map(({ target, state: how }) => `${target} ${how}`).join(', ')
    return `${id} "${clipText(plainLine(content), 60)}" (${plainLine(ground)})`
  })
  const more = count > named.length ? `; and ${count - named.length} more` : ''
  return {
    severity: 'info',
    evidence: `${countOf(count, 'memory refers', 'memories refer')} to code that has changed: ${named.join('; ')}${more}`,
    fix: 'correct outdated memories: memory edit ID or memory supersede ID',
  }
}

/**
 * Saves, finds and forgets a test memory, private and in its own scope, and verifies that it is gone
 * afterwards.
 */
async function checkRoundTrip(
  context: DoctorContext,
  { pipeline, storage }: Pick<DaemonStatus, 'pipeline'> & Partial<DaemonStatus>,
): Promise<Outcome> {
  if (storage?.writable === false) return { severity: 'info', evidence: `skipped: ${storage.problem}` }
  if (pipeline.mutationsFrozen) return { severity: 'info', evidence: 'skipped: writes are frozen' }
  const { call, now } = context
  const scope = `doctor-${randomUUID()}`
  const content = `Doctor round trip ${scope}`
  const find = async (id: string) => {
    const { results } = await call('POST /api/memory/recall', { body: { query: content, scope, limit: 5 } })
    return results.some(row => row.id === id)
  }
  const started = now()
  const { id } = await call('POST /api/memory/remember', {
    body: { content, scope, type: 'fact', visibility: 'private', importance: 0, tags: 'doctor' },
  })
  const saved = now()
  const times = { found: false, recalledAt: saved }
  try {
    times.found = await find(id)
    times.recalledAt = now()
  } finally {
    await call('DELETE /api/memory/:id', { params: { id }, body: { reason: roundTripReason } })
  }
  const forgotten = now()
  if (!times.found) return { severity: 'error', evidence: `saved ${id}, but recall does not find it`, fix }
  if (await find(id)) return { severity: 'error', evidence: `forgot ${id}, but recall still finds it`, fix }
  const spans = [
    `saved in ${formatMs(saved - started)}`,
    `recalled in ${formatMs(times.recalledAt - saved)}`,
    `forgotten in ${formatMs(forgotten - times.recalledAt)}`,
  ]
  return { severity: 'ok', evidence: spans.join(', ') }
}

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
    call('GET /api/backup').then(list => backupOutcome(list, memories, now)),
    one => one,
  )
}

function backupOutcome(list: Reply<'GET /api/backup'>, memories: number, now: number): Outcome {
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
