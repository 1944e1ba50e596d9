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
  | 'secrets.migrated'
  | 'provider.connected'
  | 'provider.disconnected'
  | 'provider.chosen'

/** Says in the log and in the audit log of plugins who did what with which names. No value is ever part of it. */
export function tell(
  { log, plugins }: Pick<Daemon, 'log' | 'plugins'>,
  { actor, peer }: Caller,
  event: SecretEvent,
  data: Readonly<Record<string, string | number | boolean | readonly string[]>> = {},
): void {
  const said = { actor, peer, ...data }
  log.info({ audit: event, ...said }, 'secrets')
  plugins.audit({ event, pluginId: 'service.secrets', result: 'ok', source: 'api', data: said })
}
