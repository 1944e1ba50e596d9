import { type FollowedChanges, followChanges } from '../ground/index/follow-changes.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import type { Daemon } from '../platform/daemon/daemon.js'

/**
 * The feed of changes, where other daemons serve the same database; otherwise undefined. Rows that this
 * daemon keeps in memory follow it:
 * - the three indexes, at once;
 * - the settings of the team, at once;
 * - projects, within a second: they take a number of a change for this alone.
 *
 * Nothing else is kept of the database: agents, credentials, holders, sessions, jobs and claims are read each
 * time. Counts of recalls and events of sessions are only added. A daemon has its own costs, telemetry,
 * secrets and notes.
 * @param onLost called when the daemon has to start again, with new indexes
 */
export function followedBy(
  daemon: Daemon,
  { follow }: Pick<SettingsWatch, 'follow'>,
  onLost: (why: string) => void,
): FollowedChanges | undefined {
  const { store, index, artifactIndex, transcriptIndex, projects, log: plain } = daemon
  const { changes } = store
  if (!changes) return undefined
  const log = plain.child({ category: 'index' })
  return followChanges({
    ...{ store, changes, onLost, log, memories: index, others: [artifactIndex, transcriptIndex] },
    onSettings: change =>
      follow(change).catch(error => log.warn({ err: error }, 'settings of the team not taken')),
    onChange: () => projects.reload(),
  })
}
