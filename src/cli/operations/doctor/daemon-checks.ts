import { formatDuration } from '../../terminal/output.js'
import { checkBackup } from './backup-check.js'
import { checkCode } from './code-check.js'
import { checkCopies } from './copies-check.js'
import type { DaemonCheck, DaemonStatus, DoctorContext, Outcome } from './finding.js'
import { checkMessages } from './messages-check.js'
import { checkPasswordManagers } from './password-vaults-check.js'
import { checkPlugins } from './plugin-check.js'
import { checkRoundTrip } from './round-trip.js'
import { checkSecrets } from './secrets-check.js'
import { checkSkills } from './skill-checks.js'
import { checkTasks } from './tasks-check.js'

/** What a daemon that answers says of itself, and whether it does its work. */
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
