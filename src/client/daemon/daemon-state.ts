import { workspacePaths } from '../../lib/workspace/paths.js'
import { isRunning, readRegistration } from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import { formatOrigin } from '../http/origin.js'
import { type FoundDaemon, findDaemon } from './find-daemon.js'
import { locate } from './locate.js'
import { isReady, probe } from './probe.js'

export interface DaemonState {
  running: boolean
  ready: boolean
  workspace: string
  /** Absent if the daemon is not running. */
  pid?: number
  version?: string
  url?: string
  /** Seconds. */
  uptime?: number
  /** Reason why no daemon answers, beyond "not started". */
  problem?: string
}

/**
 * Reports the state of a workspace's daemon without starting it; a missing daemon is not an error.
 * @throws ClientError `invalid_environment`.
 */
export async function daemonState(workspace?: string): Promise<DaemonState> {
  const paths = workspacePaths(workspace)
  const stopped = { running: false, ready: false, workspace: paths.root }
  try {
    const found = await findRunning(workspace)
    if (found) return await describe(found)
  } catch (error) {
    if (!(error instanceof ClientError) || error.code === 'invalid_environment') throw error
    return { ...stopped, problem: error.message }
  }
  const registration = readRegistration(paths.registration)
  if (!registration || !isRunning(registration)) return stopped
  const { pid } = registration
  return { ...stopped, pid, problem: `the registered daemon (pid ${pid}) does not answer` }
}

/** Finds the daemon that calls would reach: the one of SERVICE_DAEMON_URL, otherwise the workspace's own. */
async function findRunning(workspace?: string): Promise<FoundDaemon | undefined> {
  const location = locate(workspace)
  if (location.kind !== 'remote') return findDaemon(workspacePaths(workspace))
  const answer = await probe(location.origin)
  if (answer.kind === 'daemon') return { origin: location.origin, health: answer.health }
  const reason = answer.kind === 'nothing' ? 'nothing listens there' : `the program there ${answer.answer}`
  throw new ClientError(`no daemon at ${formatOrigin(location.origin)} (SERVICE_DAEMON_URL): ${reason}`, {
    code: 'daemon_unavailable',
  })
}

async function describe({ origin, health }: FoundDaemon): Promise<DaemonState> {
  const { pid, version, uptime } = health
  // A daemon names its folder to its own user only.
  const workspace = origin.expected?.workspace ?? health.workspace
  const ready = await isReady(origin)
  return { running: true, ready, workspace, pid, version, url: formatOrigin(origin), uptime }
}
