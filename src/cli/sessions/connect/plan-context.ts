import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configuredAddress } from '../../../client/daemon/find-daemon.js'
import { locate, originOf } from '../../../client/daemon/locate.js'
import { formatOrigin } from '../../../client/http/origin.js'
import { homeFolder } from '../../../lib/files/home-folder.js'
import { packageRoot } from '../../../lib/files/package-root.js'
import { workspacePaths } from '../../../lib/workspace/paths.js'
import { version } from '../../../lib/workspace/version.js'
import { CliError } from '../../shell/cli-error.js'
import type { Program } from './command-line.js'
import type { Machine } from './entries/machine.js'
import type { DaemonAddress, PlanContext } from './plan.js'

/** This machine, for a workspace. */
export function thisMachine(workspace?: string): Machine {
  return {
    env: process.env,
    home: homeFolder(),
    folder: process.cwd(),
    platform: process.platform,
    workspace: workspacePaths(workspace),
    node: process.execPath,
    packageRoot: packageRoot(),
    version,
  }
}

/** @throws ClientError or CliError when the environment or agent.yaml is faulty. */
export async function planContext(machine: Machine): Promise<PlanContext> {
  return {
    machine,
    address: await daemonAddress(machine),
    pluginText: program => pluginText(machine, program),
  }
}

/**
 * Where entries by URL point: SERVICE_DAEMON_URL, the fixed port that a daemon takes, or the one that runs where any
 * free port is taken. @throws ClientError, CliError.
 */
async function daemonAddress({ workspace }: Machine): Promise<DaemonAddress> {
  const location = locate(workspace.root)
  if (location.kind === 'remote') return { origin: formatOrigin(location.origin), needsKey: true }
  // Settings bring YAML and schemas along, which other commands need not load.
  const { readSetting } = await import('../../operations/config.js')
  const needsKey = readSetting(workspace.settings, 'auth.mode') === 'team'
  const configured = originOf(await configuredAddress(workspace))
  if (configured.port === 0 && location.kind === 'registered')
    return { origin: formatOrigin(location.origin), needsKey, passingPort: 'any' }
  const isOfShell = configured.port !== readSetting(workspace.settings, 'daemon.port')
  return { origin: formatOrigin(configured), needsKey, ...(isOfShell && { passingPort: 'environment' }) }
}

/** What a person has to do so that entries by URL still lead to the daemon after its next start. */
export function portHints({ origin, passingPort }: DaemonAddress): string[] {
  if (!passingPort) return []
  const { port } = new URL(origin)
  if (passingPort === 'environment')
    return [
      `port ${port} is SERVICE_PORT of this shell: a daemon that is started without it takes another, and these ` +
        `entries lead nowhere then. To keep it: memory config set daemon.port ${port}`,
    ]
  return [
    `port ${port} was free by chance: the next start of the daemon takes another, and these entries lead nowhere ` +
      `then. To keep it: memory config set daemon.port ${port}, and no SERVICE_PORT=0 where the daemon is started`,
  ]
}

/** @throws CliError `port_not_fixed`: an entry by URL would lead nowhere after the next start of the daemon. */
export function requireFixedPort({ origin }: DaemonAddress): void {
  if (!origin.endsWith(':0')) return
  throw new CliError('--transport http needs a daemon on a fixed port, and this one takes any free port', {
    code: 'port_not_fixed',
    exit: 'usage',
    nextSteps: [
      'memory config set daemon.port 3850   and no SERVICE_PORT=0 in the environment',
      'or leave --transport http away',
    ],
  })
}

/** The plugin with what it has to know of this machine. */
function pluginText(
  { packageRoot, workspace, home, platform, node, version }: Machine,
  program: Program,
): string {
  const text = readFileSync(join(packageRoot, 'src', 'harness-plugins', 'opencode.js'), 'utf8')
  const isDefault = workspace.root === join(home, '.memory-service')
  // A wrapper of Windows cannot be spawned without a shell.
  const command = platform === 'win32' ? [node, join(packageRoot, 'bin', 'run.js')] : program.memory
  const installed = { version, workspace: isDefault ? '' : workspace.root, command }
  return text.replace(/^const installed = .*$/mu, () => `const installed = ${JSON.stringify(installed)}`)
}
