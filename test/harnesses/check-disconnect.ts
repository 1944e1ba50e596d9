import { filesBelow } from '../helpers/harness-home.js'
import { failed, type Outcome, ok, unless } from './checks.js'
import type { Home } from './home.js'
import type { Scene } from './run-agent.js'

/** The files that connecting changed, and whether disconnecting restores them. */
export interface Connection {
  outcome: Outcome
  /** Files that connecting wrote, with their previous texts; undefined for new files. */
  before: ReadonlyMap<string, string | undefined>
}

/** Connects, disconnects, compares every file of the home folder, and connects again. */
export async function connectAndDisconnect({ agent, home }: Scene): Promise<Connection> {
  const connect = () => home.memory('connect', agent.name, '--yes', ...(agent.connectFlags ?? []))
  const first = settingsIn(home)
  await connect()
  const connected = settingsIn(home)
  await home.memory('disconnect', agent.name, '--yes')
  const last = settingsIn(home)
  await connect()
  const before = new Map(changesOf(first, connected).map(path => [path, first[path]]))
  const left = changesOf(first, last).map(path => `${path} was not restored`)
  return { before, outcome: before.size === 0 ? failed('connecting changed no file') : unless(left) }
}

/**
 * Checks that nothing of ours is left in the agent's settings. The agent may have written into them during
 * its sessions.
 */
export async function disconnectAtEnd({ agent, home }: Scene, { before }: Connection): Promise<Outcome> {
  await home.memory('disconnect', agent.name, '--yes')
  const files = [...before].map(([path, text]) => ({ path, text, now: home.read(path) }))
  const left = files.filter(({ now = '' }) => /memory hook|service-mcp/u.test(now))
  if (left.length > 0) return failed(`${left.map(({ path }) => path).join(', ')} still contains our programs`)
  const isExact = files.every(({ text, now }) => now === text)
  return ok(isExact ? undefined : 'later changes of the agent are kept')
}

function changesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter(path => before[path] !== after[path])
}

/** Excludes our own workspace. */
function settingsIn({ folder }: Home): Record<string, string> {
  const files = Object.entries(filesBelow(folder))
  return Object.fromEntries(files.filter(([path]) => !path.startsWith('.memory-service')))
}
