import { realpathSync } from 'node:fs'
import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { takeStartLock } from '../../../client/daemon/start-lock.js'
import type { Reply } from '../../../contract/api.js'
import { closeToUsers, isOpenToUsers, isOutsideProfile } from '../../../lib/files/own-umask.js'
import { countOf } from '../../../lib/text/count-of.js'
import { isAlive, isRunning, readRegistration } from '../../../lib/workspace/registration.js'
import { startedBy } from '../../agents/tasks/harness-program.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { formatDuration } from '../../terminal/output.js'
import { clipText, plainLine } from '../../terminal/text.js'
import {
  type DaemonCheck,
  type DaemonStatus,
  type DoctorContext,
  ifAllowed,
  type LocalCheck,
  type Outcome,
} from './finding.js'

type Status = Reply<'GET /api/secrets/store/status'>

const places: Readonly<Record<NonNullable<Status['source']>, string>> = {
  keyfile: 'key in .secrets/machine.key',
  keychain: 'key in the keychain',
  passphrase: 'protected with a passphrase',
}

const remedies: Readonly<Partial<Record<Status['state'], string>>> = {
  locked: 'memory secrets unlock',
  unavailable: 'unlock the keychain of this machine, then run memory health again',
  damaged: 'restore .secrets from a backup; until then it is read-only',
}

/** Checks of `.daemon` and `.secrets`: permissions, and leftovers of killed processes. */
export const daemonFileChecks: readonly LocalCheck[] = [
  { id: 'permissions', run: checkPermissions },
  { id: 'start-lock', run: checkStartLock },
  { id: 'registration', run: checkRegistration },
]

const fixCommand = 'memory health --fix'
const others = 0o077

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

/** Maximum number of memories that are named. */
const mostNamed = 3

/** Checks that ask a running daemon about its state and its work. */
export const daemonChecks: readonly DaemonCheck[] = [
  { id: 'daemon', run: checkDaemon },
  { id: 'version', run: checkVersion },
  { id: 'code', run: checkCode },
  { id: 'secrets', run: checkSecrets },
  { id: 'password-managers', run: checkPasswordManagers },
  { id: 'task-programs', run: checkTaskPrograms },
  { id: 'copies', run: checkCopies },
]

async function checkDaemon(_: DoctorContext, { pid, host, port, uptime }: DaemonStatus): Promise<Outcome> {
  return { severity: 'ok', evidence: `pid ${pid} at ${host}:${port}, up ${formatDuration(uptime)}` }
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

/** Finds an enabled task whose program is missing. @param env contains the PATH of this terminal */
export function checkTaskPrograms(
  { call, remote, platform }: DoctorContext,
  _status: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  return ifAllowed(call('GET /api/tasks'), ({ tasks }) => {
    const enabled = tasks.filter(task => task.enabled)
    const lost = enabled.find(
      task => !remote && findProgram({ env, platform }, startedBy(task).program) === undefined,
    )
    if (!lost) return { severity: 'ok', evidence: `${countOf(enabled.length, 'enabled task')}` }
    const { program } = startedBy(lost)
    return {
      severity: 'warning',
      evidence: `${program} is not on the PATH of this terminal; task "${plainLine(lost.name)}" needs it`,
      fix: `install ${program}, or memory tasks disable ${lost.id}`,
    }
  })
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

/**
 * Requires mode 0700 for folders and 0600 for secrets (rules.md#process-and-files); the folder's mode
 * protects the rest.
 */
async function checkPermissions(context: DoctorContext): Promise<Outcome> {
  const { paths, platform } = context
  if (platform === 'win32') return checkAccessList(context)
  const secrets = join(paths.root, '.secrets')
  const inSecrets = await readdir(secrets).catch(() => [])
  const guarded = [paths.daemonDir, paths.authSecret, paths.instance, paths.registration, secrets]
  const open: Array<{ path: string; mode: number }> = []
  for (const path of [...guarded, ...inSecrets.map(name => join(secrets, name))]) {
    const mode = (await stat(path).catch(() => undefined))?.mode
    if (mode !== undefined && mode & others) open.push({ path, mode: mode & 0o777 & ~others })
  }
  if (open.length === 0) return { severity: 'ok', evidence: 'private files are readable only by you' }
  return {
    severity: 'warning',
    evidence: `other users can read ${open.map(({ path }) => path).join(', ')}`,
    fix: fixCommand,
    repair: async () => {
      for (const { path, mode } of open) await chmod(path, mode)
    },
  }
}

/** Windows has no modes: the profile folder protects its files, and elsewhere only an access list does. */
async function checkAccessList({ paths: { root }, user }: DoctorContext): Promise<Outcome> {
  if (!isOutsideProfile(root, user)) return { severity: 'ok', evidence: 'protected by your profile folder' }
  if ((await stat(root).catch(() => undefined)) === undefined)
    return { severity: 'ok', evidence: 'no files yet' }
  if (!(await isOpenToUsers(root)))
    return { severity: 'ok', evidence: `${root} has an access list of its own` }
  return {
    severity: 'warning',
    evidence: `other users can read ${root}, which is outside your profile folder`,
    fix: fixCommand,
    repair: () => closeToUsers(root, user),
  }
}

async function checkStartLock({ paths: { startLock } }: DoctorContext): Promise<Outcome> {
  const text = await readFile(startLock, 'utf8').catch(() => undefined)
  if (text === undefined) return { severity: 'ok', evidence: 'no start in progress' }
  const pid = Number.parseInt(text, 10)
  if (pid && isAlive(pid)) return { severity: 'info', evidence: `process ${pid} is starting the daemon` }
  return {
    severity: 'warning',
    evidence: pid ? `left behind by process ${pid}, which has ended` : `${startLock} is incomplete`,
    fix: fixCommand,
    // Acquiring the lock applies its own staleness rules, so a lock that is still being written is not
    // removed.
    repair: async () => takeStartLock(startLock)?.(),
  }
}

async function checkRegistration({ paths: { registration } }: DoctorContext): Promise<Outcome> {
  const exists = await stat(registration).catch(() => undefined)
  if (!exists) return { severity: 'ok', evidence: 'no daemon is registered' }
  const remove = async () => rm(registration, { force: true, maxRetries: 5 })
  const entry = readRegistration(registration)
  if (!entry)
    return { severity: 'warning', evidence: `${registration} is incomplete`, fix: fixCommand, repair: remove }
  if (isRunning(entry)) return { severity: 'ok', evidence: `pid ${entry.pid}, ${entry.host}:${entry.port}` }
  return {
    severity: 'warning',
    evidence: `left behind by process ${entry.pid}, which has ended`,
    fix: fixCommand,
    repair: remove,
  }
}
