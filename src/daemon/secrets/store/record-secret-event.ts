import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export type SecretEvent =
  | 'secret.listed'
  | 'secret.stored'
  | 'secret.deleted'
  | 'secrets.protected'
  | 'secrets.unlocked'
  | 'secrets.rotated'
  | 'secrets.exported'
  | 'secrets.imported'
  | 'secrets.migrated'
  | 'key.set'
  | 'key.shown'
  | 'provider.connected'
  | 'provider.disconnected'
  | 'provider.chosen'

/** Writes who did what with which names to the log and the plugin audit log, never a value. */
export function recordSecretEvent(
  { log, plugins }: Pick<Daemon, 'log' | 'plugins'>,
  { actor, peer }: Caller,
  event: SecretEvent,
  data: Readonly<Record<string, string | number | boolean | readonly string[]>> = {},
): void {
  const said = { actor, peer, ...data }
  log.info({ audit: event, ...said }, event.replace('.', ' '))
  plugins.audit({ event, pluginId: 'service.secrets', result: 'ok', source: 'api', data: said })
}
