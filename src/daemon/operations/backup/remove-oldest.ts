import type { Daemon } from '../../platform/daemon/daemon.js'
import { backupsIn, removeBackup } from './backups.js'

/** Of those that were made by the clock the newest stay, as many as the settings say; those by hand are their owner's. */
export async function removeOldest(deps: Pick<Daemon, 'paths' | 'configuration'>): Promise<void> {
  const { keep } = deps.configuration().settings.backup
  const scheduled = (await backupsIn(deps)).filter(({ kind }) => kind === 'scheduled')
  for (const { id } of scheduled.slice(keep)) await removeBackup(deps, id)
}
