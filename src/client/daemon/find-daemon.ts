import { describePortOwner, findPortOwner } from '../../lib/network/port-owner.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { isAlive, readRegistration } from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import type { Origin } from '../http/origin.js'
import { originOf, unusableWorkspace } from './locate.js'
import { type Health, isSameFolder, probe } from './probe.js'

/** A live daemon may be slow on a busy machine; reporting it as a foreign process would be wrong. */
const busyTimeoutMs = 10_000

export interface FoundDaemon {
  origin: Origin
  health: Health
}

/**
 * Finds the running daemon of a workspace with a probe: first at its registered address, then, if the
 * registration is missing, incomplete or outdated, at the configured one.
 * @returns undefined if none runs and its port is free.
 * @throws ClientError `foreign_process` if another program has the port of this workspace's daemon;
 * `launch_failed` if none is registered and agent.yaml is faulty.
 */
export async function findDaemon(paths: WorkspacePaths): Promise<FoundDaemon | undefined> {
  const registration = readRegistration(paths.registration)
  if (registration) {
    const origin = originOf(registration)
    const answer = await probe(origin, isAlive(registration.pid) ? busyTimeoutMs : undefined)
    if (answer.kind === 'daemon' && isSameFolder(answer.health.workspace, paths.root)) {
      return { origin, health: answer.health }
    }
  }
  const configured = await configuredAddress(paths)
  // Port 0 means any free port, which only a registration can name.
  if (configured.port === 0) return undefined
  const origin = originOf(configured)
  const answer = await probe(origin)
  if (answer.kind === 'nothing') return undefined
  if (answer.kind === 'foreign') throw await foreignProcess(origin.port, answer.answer)
  if (isSameFolder(answer.health.workspace, paths.root)) return { origin, health: answer.health }
  throw otherWorkspace(origin.port, answer.health)
}

/**
 * Returns the address for a new daemon: environment, then agent.yaml, then the defaults.
 * @throws ClientError `launch_failed` if agent.yaml is faulty; `invalid_environment`, also for an unusable
 * workspace.
 */
export async function configuredAddress(paths: WorkspacePaths): Promise<{ host: string; port: number }> {
  // YAML and schemas load on demand; a registration makes them unnecessary.
  const [{ settings }, { formatProblem, loadSettings }] = await Promise.all([
    import('../../contract/settings.js'),
    import('../../lib/workspace/settings-file.js'),
  ])
  const { settings: values, errors } = loadSettings(paths.settings, settings)
  if (errors.length > 0) throw unusableWorkspace(paths) ?? faultySettings(paths, errors.map(formatProblem))
  const { daemon } = values
  const { SERVICE_HOST, SERVICE_PORT } = process.env
  return { host: SERVICE_HOST || daemon.host, port: SERVICE_PORT ? parsePort(SERVICE_PORT) : daemon.port }
}

/** A daemon would refuse to start with these settings, and their port is unknown. */
function faultySettings(paths: WorkspacePaths, faults: readonly string[]): ClientError {
  return new ClientError('agent.yaml is invalid, so the daemon cannot start', {
    code: 'launch_failed',
    details: faults.map(message => ({ path: '', message })),
    nextSteps: [`correct ${paths.settings}`],
  })
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw new ClientError(`SERVICE_PORT is '${value}', which is not a port`, {
    code: 'invalid_environment',
    nextSteps: ['Use a number from 0 (any free port) to 65535'],
  })
}

async function foreignProcess(port: number, answer: string): Promise<ClientError> {
  const owner = describePortOwner(await findPortOwner(port))
  return new ClientError(
    `port ${port} is in use by ${owner}, which is not a memory-service daemon: it ${answer}`,
    {
      code: 'foreign_process',
      nextSteps: otherPortSteps(port, 'stop that process'),
    },
  )
}

function otherWorkspace(port: number, health: Health): ClientError {
  return new ClientError(
    `port ${port} is in use by the daemon (pid ${health.pid}) of another workspace, ${health.workspace}`,
    { code: 'foreign_process', nextSteps: otherPortSteps(port, 'stop that daemon') },
  )
}

/** Suggests what to do about a port that is in use. */
export function otherPortSteps(port: number, alternative: string): string[] {
  const other = port < 65_535 ? port + 1 : port - 1
  return [
    `use another port once: SERVICE_PORT=${other} memory daemon start`,
    `or permanently: memory config set daemon.port ${other}`,
    `or ${alternative}`,
  ]
}
