import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import type { UpdateState } from '../../../../contract/operations/updates.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { isNewer } from '../../../../lib/workspace/version.js'
import { updateStateOf } from '../../updates/config.js'
import { readRecord } from '../../updates/update-state.js'
import { type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'

/** Known newer releases, and whether one awaits a restart or failed to install; checks nothing online. */
export async function updateDomain({ daemon }: DiagnosticsInput): Promise<DomainReport<'update'>> {
  const state = await updateStateOf(daemon)
  const { lastCheck } = readRecord(daemon)
  const latest = lastCheck?.release?.version ?? null
  return {
    ...scored([updateFinding(state)]),
    currentVersion: daemon.version,
    latestVersion: latest,
    updateAvailable: latest !== null && (await isNewer(latest, daemon.version)),
    checkedAt: lastCheck?.at ?? null,
    restartRequired: state.pendingRestartVersion !== null,
    pendingVersion: state.pendingRestartVersion,
    lastError: state.lastAutoUpdateError,
  }
}

export function updateFinding({
  pendingRestartVersion: pending,
  lastAutoUpdateError: error,
  autoInstall,
  channel,
}: Pick<UpdateState, 'pendingRestartVersion' | 'lastAutoUpdateError' | 'autoInstall' | 'channel'>) {
  const id = 'updates'
  if (pending)
    return finding({
      id,
      severity: 'warning',
      evidence: `${pending} is installed and waits for a restart`,
      fix: 'memory daemon restart',
    })
  if (autoInstall && error)
    return finding({
      id,
      severity: 'warning',
      evidence: `not updated: ${oneLine(error, 300)}`,
      fix: 'memory update',
    })
  return fine(id, `channel ${channel}, ${autoInstall ? 'automatic' : 'installed with memory update'}`)
}
