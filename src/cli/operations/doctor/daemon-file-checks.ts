import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { takeStartLock } from '../../../client/daemon/start-lock.js'
import { closeToUsers, isOpenToUsers, isOutsideProfile } from '../../../lib/files/own-umask.js'
import { isAlive, isRunning, readRegistration } from '../../../lib/workspace/registration.js'
import type { DoctorContext, LocalCheck, Outcome } from './finding.js'

/** Checks of `.daemon` and `.secrets`: permissions, and leftovers of killed processes. */
export const daemonFileChecks: readonly LocalCheck[] = [
  { id: 'permissions', run: checkPermissions },
  { id: 'start-lock', run: checkStartLock },
  { id: 'registration', run: checkRegistration },
]

const fixCommand = 'memory health --fix'
const others = 0o077

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
