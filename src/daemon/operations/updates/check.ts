import type { UpdateInfo } from '../../../contract/operations/updates.js'
import { isNewer } from '../../../lib/workspace/version.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findRelease, type Release, releaseAddress } from './find-release.js'
import { noteRecord, pendingVersion, readRecord, UpdateFault } from './update-state.js'

type Deps = Pick<Daemon, 'configuration' | 'environment' | 'paths' | 'version' | 'clock'>

/** How long an answer is reused (operations.md 2.1). */
const cacheMs = 3_600_000
/** A failed check is repeated sooner. */
const failedCacheMs = 60_000

/**
 * Checks for a newer release. An answer less than an hour old is reused, unless the channel or the address
 * changed. A failure is part of the answer.
 */
export async function checkUpdate(deps: Deps, { force }: { force: boolean }): Promise<UpdateInfo> {
  const { channel } = deps.configuration().settings.update
  const fresh = force ? undefined : await freshCheck(deps, channel)
  if (!fresh) await askNow(deps)
  const { lastCheck } = readRecord(deps)
  const release = lastCheck?.release ?? null
  const pending = await pendingVersion(deps)
  return {
    currentVersion: deps.version,
    latestVersion: release?.version ?? null,
    updateAvailable: release !== null && (await isNewer(release.version, deps.version)),
    releaseUrl: release?.releaseUrl ?? null,
    releaseNotes: release?.releaseNotes ?? null,
    publishedAt: release?.publishedAt ?? null,
    restartRequired: pending !== null,
    pendingVersion: pending,
    cached: fresh !== undefined,
    checkedAt: lastCheck?.at ?? deps.clock().toISOString(),
    channel,
    error: lastCheck?.error ?? null,
  }
}

async function freshCheck(deps: Deps, channel: string): Promise<object | undefined> {
  const { lastCheck } = readRecord(deps)
  if (lastCheck?.channel !== channel) return undefined
  const asked = await releaseAddress(deps).catch(() => undefined)
  if (lastCheck.asked !== asked?.href) return undefined
  // When the clock was set back, the check is repeated.
  const age = deps.clock().getTime() - Date.parse(lastCheck.at)
  return age >= 0 && age < (lastCheck.error === null ? cacheMs : failedCacheMs) ? lastCheck : undefined
}

/**
 * Queries the release address and records the result.
 * @returns the channel's newest release, or the reason there is none
 */
export async function askNow(deps: Deps): Promise<Release | UpdateFault> {
  const { channel } = deps.configuration().settings.update
  const asked = await releaseAddress(deps).then(
    ({ href }) => href,
    () => '',
  )
  const found = await findRelease(deps, channel).catch((error: unknown) => {
    if (error instanceof UpdateFault) return error
    throw error
  })
  const isFault = found instanceof UpdateFault
  noteRecord(deps, {
    lastCheck: {
      release: isFault ? null : releaseInfo(found),
      error: isFault ? found.message : null,
      at: deps.clock().toISOString(),
      channel,
      asked,
    },
  })
  return found
}

function releaseInfo({ version, releaseUrl, releaseNotes, publishedAt }: Release) {
  return { version, releaseUrl, releaseNotes, publishedAt }
}
