import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AppError } from '../../../contract/ground/errors.js'
import type {
  decideWaitingSettings as decideEndpoint,
  WaitingSetting,
  WaitingSettingsReply,
} from '../../../contract/operations/git.js'
import { clip } from '../../../lib/text/clip.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { isOnThisMachine } from '../../platform/auth/loopback.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { maskedChange } from '../settings/masked-text.js'

type Deps = Pick<Daemon, 'waitingSettings'>

/** Lists the security settings that wait for a person, with credentials masked (operations.md 1.7). */
export function maskedWaiting({ waitingSettings }: Deps): WaitingSetting[] {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  return waitingSettings
    .list()
    .map(({ path, before, after }) =>
      maskedChange({ key: path.join('.'), before: json(before), after: json(after) }),
    )
}

export function readWaitingSettings(deps: Deps): WaitingSettingsReply {
  return { version: versionOf(deps), settings: maskedWaiting(deps) }
}

/**
 * Puts the waiting settings in force, or restores those in force in agent.yaml.
 * @throws AppError `forbidden` for a caller elsewhere, `conflict` when something else waits now
 */
export async function decideWaitingSettings(
  deps: Deps & Pick<Daemon, 'log'>,
  caller: Pick<Caller, 'actor' | 'peer' | 'forwarded'>,
  { decision, version }: z.infer<(typeof decideEndpoint)['body']>,
): Promise<{ success: true; settings: WaitingSetting[] }> {
  if (!isOnThisMachine(caller))
    throw new AppError(
      'forbidden',
      'security settings are accepted or refused on the machine of the daemon: memory git settings',
    )
  if (version !== versionOf(deps))
    throw new AppError('conflict', 'other settings wait now; read them again, then decide')
  const settings = maskedWaiting(deps)
  await deps.waitingSettings[decision]()
  const keys = settings.map(({ key }) => key)
  deps.log.info({ audit: 'settings', decision, actor: caller.actor, keys }, 'waiting settings decided')
  return { success: true, settings }
}

function versionOf({ waitingSettings }: Deps): string {
  return createHash('sha256').update(JSON.stringify(waitingSettings.list())).digest('hex')
}

/** Describes what waits, one setting per line; nothing when nothing waits. */
export function waitingLines(deps: Deps): string[] {
  const waiting = maskedWaiting(deps)
  if (waiting.length === 0) return []
  return [
    'security settings of agent.yaml wait for your yes: memory git settings',
    ...waiting.flatMap(({ key, before, after }) => [
      `- ${key}: ${clip(before ?? 'not set', 300)}`,
      `+ ${key}: ${clip(after ?? 'not set', 300)}`,
    ]),
  ]
}
