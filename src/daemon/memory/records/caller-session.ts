import { liveSessionCutoff, sessionKeyOf } from '../../ground/sessions/session-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** Maximum number of live sessions of a project among which the caller's is looked for. */
const maxLiveSessions = 50

/**
 * Returns the session key of a caller: the one that its header names, else the newest live session of its
 * harness in its folder, else in its project. Only MCP servers name their harness.
 */
export async function sessionOfCaller(
  { store, clock }: Pick<Daemon, 'store' | 'clock'>,
  { sessionKey, harness, project, folder }: Caller,
  agentId: string,
): Promise<string | undefined> {
  if (sessionKey !== undefined) return sessionKeyOf(sessionKey)
  if (harness === undefined || !project) return undefined
  const since = liveSessionCutoff(clock())
  const live = await store.tables.sessions.live({ agentId, project, since }, maxLiveSessions)
  const ofHarness = live.filter(session => session.harness === harness)
  return (ofHarness.find(({ cwd }) => cwd === folder) ?? ofHarness[0])?.session_key
}
