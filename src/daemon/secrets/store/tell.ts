import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** What is done with secrets. */
export type SecretEvent =
  | 'secret.listed'
  | 'secret.stored'
  | 'secret.deleted'
  | 'secrets.protected'
  | 'secrets.unlocked'
  | 'secrets.rotated'
  | 'secrets.exported'
  | 'secrets.imported'

/** Says who did what with which names. No value is ever part of it. */
export function tell(
  { log }: Pick<Daemon, 'log'>,
  { actor, peer }: Caller,
  event: SecretEvent,
  data: Readonly<Record<string, string | number | boolean | readonly string[]>> = {},
): void {
  log.info({ audit: event, actor, peer, ...data }, 'secrets')
}
