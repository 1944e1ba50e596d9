import { filesBelow } from '../helpers/harness-home.js'
import { failed, type Outcome, ok, unless } from './checks.js'
import type { Home } from './home.js'
import type { Scene } from './run-agent.js'

/** What connecting changed, and whether disconnecting gives all of it back. */
export interface Connection {
  outcome: Outcome
  /** Files that connecting wrote, with their texts from before; undefined for those that it made. */
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
  const left = changesOf(first, last).map(path => `${path} is not as it was`)
  return { before, outcome: before.size === 0 ? failed('connecting changed no file') : unless(left) }
}

/** After its sessions an agent may have written into its settings too: nothing of ours is left in them. */
export async function disconnectAtEnd({ agent, home }: Scene, { before }: Connection): Promise<Outcome> {
  await home.memory('disconnect', agent.name, '--yes')
  const files = [...before].map(([path, text]) => ({ path, text, now: home.read(path) }))
  const left = files.filter(({ now = '' }) => /memory hook|service-mcp/u.test(now))
  if (left.length > 0) return failed(`${left.map(({ path }) => path).join(', ')} still names our programs`)
  const isExact = files.every(({ text, now }) => now === text)
  return ok(isExact ? undefined : 'and what the agent wrote since stays')
}

function changesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter(path => before[path] !== after[path])
}

/** Our own workspace aside. */
function settingsIn({ folder }: Home): Record<string, string> {
  const files = Object.entries(filesBelow(folder))
  return Object.fromEntries(files.filter(([path]) => !path.startsWith('.memory-service')))
}
