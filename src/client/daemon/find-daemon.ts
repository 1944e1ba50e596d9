import { describePortOwner, findPortOwner } from '../../lib/network/port-owner.js'
import { withVariable } from '../../lib/text/shell-words.js'
import { choosesPort } from '../../lib/workspace/chosen-port.js'
import { readInstance } from '../../lib/workspace/instance-file.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'
import { isRunning, parseRegistration, readRegistrationText } from '../../lib/workspace/registration.js'
import { ClientError } from '../http/client-error.js'
import type { Origin } from '../http/origin.js'
import { originOf, unusableWorkspace } from './locate.js'
import { type Health, probe } from './probe.js'

/** A live daemon may be slow on a busy machine; reporting it as a foreign process would be wrong. */
const busyTimeoutMs = 10_000

export interface ConfiguredAddress {
  host: string
  port: number
  /** False if nobody chose the port; a daemon then takes the next free one. */
  isChosen: boolean
}

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
  const text = readRegistrationText(paths.registration)
  const registration = parseRegistration(text)
  const instance = registration?.instance ?? readInstance(paths.instance)
  if (registration && instance) {
    const origin = originOf(registration)
    const timeoutMs = isRunning(registration) ? busyTimeoutMs : undefined
    const answer = await probe(origin, { instance, ...(timeoutMs && { timeoutMs }) })
    if (answer.kind === 'daemon' && answer.isOwn) {
      const registered = { file: paths.registration, text, registration }
      const expected = { workspace: paths.root, instance, registered }
      return { origin: { ...origin, expected }, health: answer.health }
    }
  }
  const configured = await configuredAddress(paths)
  // Port 0 means any free port, which only a registration can name.
  if (configured.port === 0) return undefined
  const origin = originOf(configured)
  const answer = await probe(origin, { instance })
  if (answer.kind === 'nothing') return undefined
  if (answer.kind === 'daemon' && answer.isOwn && instance)
    return { origin: { ...origin, expected: { workspace: paths.root, instance } }, health: answer.health }
  // A daemon takes the next free port where nobody chose one.
  if (!configured.isChosen) return undefined
  if (answer.kind === 'foreign') throw await foreignProcess(origin.port, answer.answer)
  throw otherWorkspace(origin.port, answer.health)
}

/**
 * Returns the address for a new daemon: environment, then agent.yaml, then the defaults.
 * @throws ClientError `launch_failed` if agent.yaml is faulty; `invalid_environment`, also for an unusable
 * workspace.
 */
export async function configuredAddress(paths: WorkspacePaths): Promise<ConfiguredAddress> {
  // YAML and schemas load on demand; a registration makes them unnecessary.
  const [{ settings }, { formatProblem, loadSettings }] = await Promise.all([
    import('../../contract/settings.js'),
    import('../../lib/workspace/settings-file.js'),
  ])
  const { settings: values, errors, given } = loadSettings(paths.settings, settings)
  if (errors.length > 0) throw unusableWorkspace(paths) ?? faultySettings(paths, errors.map(formatProblem))
  const { SERVICE_HOST, SERVICE_PORT, SERVICE_DEFAULT_PORT } = process.env
  const host = SERVICE_HOST || values.daemon.host
  if (SERVICE_PORT) return { host, port: parsePort('SERVICE_PORT', SERVICE_PORT), isChosen: true }
  if (choosesPort(given)) return { host, port: values.daemon.port, isChosen: true }
  const port = SERVICE_DEFAULT_PORT
    ? parsePort('SERVICE_DEFAULT_PORT', SERVICE_DEFAULT_PORT)
    : values.daemon.port
  return { host, port, isChosen: false }
}

/** A daemon would refuse to start with these settings, and their port is unknown. */
function faultySettings(paths: WorkspacePaths, faults: readonly string[]): ClientError {
  return new ClientError('agent.yaml is invalid, so the daemon cannot start', {
    code: 'launch_failed',
    details: faults.map(message => ({ path: '', message })),
    nextSteps: [`correct ${paths.settings}`],
  })
}

function parsePort(name: string, value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw new ClientError(`${name} is '${value}', which is not a port`, {
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

function otherWorkspace(port: number, { pid, workspace }: Health): ClientError {
  // A daemon names its folder to its own user only.
  const whose = workspace ? `another workspace, ${workspace}` : 'another user'
  return new ClientError(`port ${port} is in use by the daemon (pid ${pid}) of ${whose}`, {
    code: 'foreign_process',
    nextSteps: otherPortSteps(port, 'stop that daemon'),
  })
}

/** Suggests what to do about a port that is in use. */
export function otherPortSteps(
  port: number,
  alternative: string,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const other = port < 65_535 ? port + 1 : port - 1
  return [
    `use another port once: ${withVariable('SERVICE_PORT', other, 'memory daemon start', platform)}`,
    `or permanently: memory config set daemon.port ${other}`,
    `or ${alternative}`,
  ]
}
