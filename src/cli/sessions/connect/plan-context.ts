import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configuredAddress, findDaemon } from '../../../client/daemon/find-daemon.js'
import { locate, originOf } from '../../../client/daemon/locate.js'
import { probe } from '../../../client/daemon/probe.js'
import { formatOrigin, type Origin } from '../../../client/http/origin.js'
import { homeIfKnown } from '../../../lib/files/folders.js'
import { ownNode, packageRoot } from '../../../lib/files/package-root.js'
import { ensureInstance } from '../../../lib/workspace/instance-file.js'
import { workspaceName as nameOf } from '../../../lib/workspace/instance-proof.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'
import { version } from '../../../lib/workspace/version.js'
import { CliError } from '../../shell/cli-error.js'
import type { Program } from './command-line.js'
import type { Harness } from './entries/harness.js'
import type { Machine } from './entries/machine.js'
import { pluginMark } from './entries/own-entries.js'
import { loadYaml } from './entries/yaml-edit.js'
import type { DaemonAddress, PlanContext } from './plan.js'

/** PATH of programs that were not started from a terminal; on Windows they have the terminal's. */
const systemPaths: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/usr/bin:/bin:/usr/sbin:/sbin',
  linux: '/usr/local/bin:/usr/bin:/bin',
}

/** Returns this machine's inputs for a workspace. Reading its home folder may throw CliError `no_home`. */
export function thisMachine(workspace?: string): Machine {
  return {
    env: process.env,
    get home() {
      return knownHome()
    },
    // Only scope project needs it.
    get folder() {
      return process.cwd()
    },
    platform: process.platform,
    workspace: workspacePaths(workspace),
    systemPath: systemPaths[process.platform],
    node: ownNode(),
    packageRoot: packageRoot(),
    version,
  }
}

/** @throws CliError `no_home`, as in a container for a user without a name. */
function knownHome(): string {
  const home = homeIfKnown()
  if (home !== undefined) return home
  throw new CliError('the home folder, where agents keep their settings, is unknown', {
    code: 'no_home',
    exit: 'failure',
    nextSteps: ['set HOME to that folder, and try again'],
  })
}

/** @throws ClientError or CliError if the environment or agent.yaml is invalid. */
export async function planContext(machine: Machine): Promise<PlanContext> {
  await loadYaml()
  const toolHooks = await keepsToolUse(machine)
  return {
    machine,
    address: await daemonAddress(machine),
    toolHooks,
    pluginText: (program, harness) => pluginText(machine, program, harness, toolHooks),
  }
}

/** A daemon elsewhere does not see what hooks note on this machine. */
async function keepsToolUse({ workspace }: Machine): Promise<boolean> {
  if (locate(workspace.root).kind === 'remote') return false
  const { readSetting } = await import('../../operations/config.js')
  return readSetting(workspace.settings, 'capture.toolUse') !== 'off'
}

/**
 * Returns the address for entries with URLs: SERVICE_DAEMON_URL, the daemon's fixed port, or the current port
 * if any free one is configured. @throws ClientError, CliError.
 */
async function daemonAddress({ workspace }: Machine): Promise<DaemonAddress> {
  const location = locate(workspace.root)
  if (location.kind === 'remote') return { origin: formatOrigin(location.origin), needsKey: true }
  // Settings load YAML and schemas, which other commands do not need.
  const { readSetting } = await import('../../operations/config.js')
  const needsKey = readSetting(workspace.settings, 'auth.mode') === 'team'
  const workspaceName = () => nameOf(ensureInstance(workspace.instance), workspace.root)
  const address = (origin: Origin) => ({ origin: formatOrigin(origin), needsKey, workspaceName })
  const configured = await configuredAddress(workspace)
  if (!configured.isChosen) {
    const found = await findDaemon(workspace)
    const isNext = found !== undefined && found.origin.port !== configured.port
    if (isNext) return { ...address(found.origin), passingPort: 'next' }
    const isTaken = !found && (await probe(originOf(configured))).kind !== 'nothing'
    return { ...address(originOf(configured)), ...(isTaken && { passingPort: 'unknown' }) }
  }
  if (configured.port === 0 && location.kind === 'registered')
    return { ...address(location.origin), passingPort: 'any' }
  const isOfShell = configured.port !== readSetting(workspace.settings, 'daemon.port')
  return { ...address(originOf(configured)), ...(isOfShell && { passingPort: 'environment' }) }
}

/** Explains how to keep entries with URLs valid after the daemon's next start. */
export function portHints({ origin, passingPort }: DaemonAddress): string[] {
  if (!passingPort) return []
  const { port } = new URL(origin)
  if (passingPort === 'environment')
    return [
      `port ${port} comes from SERVICE_PORT of this shell; a daemon started without it uses another port, and these ` +
        `entries stop working. To keep the port: memory config set daemon.port ${port}`,
    ]
  if (passingPort === 'next')
    return [
      `the daemon uses port ${port}, because another program had the default port when it started; its next start ` +
        `may use another one, and these entries stop working. To keep the port: memory config set daemon.port ${port}`,
    ]
  return [
    `port ${port} was chosen automatically; the next start of the daemon uses another one, and these entries stop ` +
      `working. To keep the port: memory config set daemon.port ${port}, and do not set SERVICE_PORT=0`,
  ]
}

/**
 * @throws CliError `port_not_fixed`, because an entry with a URL would be invalid after the daemon's next
 * start.
 */
export function requireFixedPort({ origin, passingPort }: DaemonAddress): void {
  if (passingPort === 'unknown') throw takenPort(new URL(origin).port)
  if (!origin.endsWith(':0')) return
  throw new CliError('--transport http needs a fixed port, but this daemon uses any free port', {
    code: 'port_not_fixed',
    exit: 'usage',
    nextSteps: [
      'memory config set daemon.port 3850   and do not set SERVICE_PORT=0',
      'or omit --transport http',
    ],
  })
}

/** The default port belongs to another program, and no daemon of ours has chosen one yet. */
function takenPort(port: string): CliError {
  return new CliError(
    `--transport http needs the port of this workspace's daemon, but another program has port ${port}, and no daemon runs`,
    {
      code: 'port_not_fixed',
      exit: 'usage',
      nextSteps: [
        `memory config set daemon.port ${Number(port) + 1}   then try again`,
        'or omit --transport http',
      ],
    },
  )
}

/** Returns the plugin's text with this machine's values. */
function pluginText(
  { packageRoot, workspace, home, platform, node, version }: Machine,
  program: Program,
  { name, title, plugin = 'opencode.js' }: Pick<Harness, 'name' | 'title' | 'plugin'>,
  tools: boolean,
): string {
  const text = readFileSync(join(packageRoot, 'src', 'harness-plugins', plugin), 'utf8')
  const isDefault = workspace.root === join(home, '.memory-service')
  // Wrappers on Windows need a shell to be spawned.
  const command = platform === 'win32' ? [node, join(packageRoot, 'bin', 'run.js')] : program.memory
  const installed = { harness: name, version, workspace: isDefault ? '' : workspace.root, command, tools }
  return text
    .replace(/^.*/u, () => pluginMark(title))
    .replace(/^const installed = .*$/mu, () => `const installed = ${JSON.stringify(installed)}`)
}
