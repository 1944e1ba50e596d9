import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { isSea } from 'node:sea'
import type { InstallMethod } from '../../../contract/operations/updates.js'
import { packageRoot } from '../../../lib/files/package-root.js'
import { packageName } from '../../../lib/workspace/version.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** How this program was installed, and how to replace it. */
export interface Installation {
  method: InstallMethod
  /** The file a user starts: a script of the package, or the executable itself. */
  executable: string
  /** The command that installs a version; undefined when a person has to do it. */
  command?: (version: string) => readonly [program: string, ...args: string[]]
  /** Working folder of the command. */
  cwd: string
  /** The command for a person to type. */
  advice(version: string): string
}

export interface InstallationFacts {
  /** Folder of the package, with links resolved or not. */
  packageRoot: string
  packageName: string
  /** The standalone executable running this program, if any. */
  standalone: string | undefined
  /** True in a container of our image, which is never changed from inside. */
  isImage?: boolean
  platform: NodeJS.Platform
}

/**
 * Detects how the running program was installed. A standalone executable passes its path to its child
 * processes.
 */
export function ownInstallation({ environment }: Pick<Daemon, 'environment'>): Installation {
  return installationOf({
    packageRoot: packageRoot(),
    packageName,
    standalone: environment.SERVICE_EXECUTABLE || (isSea() ? process.execPath : undefined),
    isImage: environment.SERVICE_IMAGE === '1',
    platform: process.platform,
  })
}

/** Global folders of package managers, with forward slashes. */
const globalFolders: readonly [pattern: RegExp, method: InstallMethod][] = [
  // npx, pnpm dlx and bunx keep what they ran once.
  [/\/(?:_npx|dlx|\.?bunx-\d+[^/]*)\//u, 'npx'],
  [/\/Cellar\//u, 'homebrew'],
  [/\/nix\/store\//u, 'nix'],
  [/\/scoop\/apps\//u, 'scoop'],
  [/\/Programs\/memory-service\/node_modules\//u, 'winget'],
  [/\/install\/global\/node_modules\//u, 'bun-global'],
  [/\/pnpm\/global\/|\/global\/[^/]+\/(?:node_modules\/)?\.pnpm\/|\/store\/v\d+\/links\//u, 'pnpm-global'],
  [/\/(?:yarn|Yarn\/Data)\/global\//u, 'yarn-global'],
]

/**
 * Detects the package manager from the package's path, without running anything (operations.md 2.3).
 * @param facts `packageRoot` is resolved here, because a link in a bin folder runs its target
 */
export function installationOf(facts: InstallationFacts): Installation {
  const { standalone, packageName } = facts
  if (standalone !== undefined) return binaryAt(realPath(standalone))
  const root = realPath(facts.packageRoot)
  const executable = join(root, 'bin', 'run.js')
  const known = { executable, cwd: dirname(root) }
  const method = facts.isImage ? 'image' : methodOf(root, facts.platform)
  const name = (version: string): string => `${packageName}@${version}`
  if (method.endsWith('-global') || method.endsWith('-local')) {
    const project = projectOf(root)
    const arguments_ = (version: string) => commandOf(method, name(version), { root, project })
    return {
      ...known,
      method,
      cwd: method.endsWith('-local') ? project : dirname(root),
      command: arguments_,
      advice: version => arguments_(version).join(' '),
    }
  }
  const advice = {
    npx: (version: string) => `npx ${name(version)}`,
    homebrew: () => `brew upgrade ${packageName}`,
    nix: () => `nix profile upgrade ${packageName}`,
    scoop: () => `scoop update ${packageName}`,
    winget: () => 'winget upgrade --id MemoryService.MemoryService',
    image: () =>
      `docker build --pull --no-cache --tag ${packageName} deploy && docker compose --file deploy/compose.yml up --detach`,
    git: () => `git -C ${root} pull --ff-only && npm ci --prefix ${root}`,
  }
  return {
    ...known,
    method,
    advice: advice[method as keyof typeof advice] ?? (version => `npm install -g ${name(version)}`),
  }
}

function binaryAt(executable: string): Installation {
  return {
    method: 'binary',
    executable,
    cwd: dirname(executable),
    advice: () => `download the release and replace ${executable} with it`,
  }
}

function methodOf(root: string, platform: NodeJS.Platform): InstallMethod {
  const path = root.split(sep).join('/')
  const global = globalFolders.find(([pattern]) => pattern.test(`${path}/`))
  if (global) return global[1]
  if (!path.includes('/node_modules/')) return existsSync(join(root, '.git')) ? 'git' : 'unknown'
  if (/\/lib\/node_modules\/(?:@[^/]+\/)?[^/]+$/u.test(path)) return 'npm-global'
  const project = projectOf(root)
  // On Windows the global folder has no lib, and the commands are next to it; npm's own may be elsewhere.
  const isBeside = ['npm.cmd', 'memory.cmd'].some(command => existsSync(join(project, command)))
  if (platform === 'win32' && isBeside) return 'npm-global'
  if (!existsSync(join(project, 'package.json'))) return 'unknown'
  if (path.includes('/node_modules/.pnpm/') || existsSync(join(project, 'pnpm-lock.yaml')))
    return 'pnpm-local'
  if (existsSync(join(project, 'yarn.lock'))) return 'yarn-local'
  if (['bun.lock', 'bun.lockb'].some(lock => existsSync(join(project, lock)))) return 'bun-local'
  return 'npm-local'
}

/** The folder above the outermost `node_modules`. */
function projectOf(root: string): string {
  const parts = root.split(sep)
  const at = parts.indexOf('node_modules')
  return at < 0 ? dirname(root) : parts.slice(0, at).join(sep) || sep
}

function commandOf(
  method: InstallMethod,
  wanted: string,
  { root, project }: { root: string; project: string },
): readonly [string, ...string[]] {
  const quiet = ['--no-fund', '--no-audit']
  const commands: Partial<Record<InstallMethod, readonly [string, ...string[]]>> = {
    // The prefix of this copy: npm on the PATH may use another one, which would install a second copy.
    'npm-global': ['npm', 'install', '--global', '--prefix', prefixOf(root, project), ...quiet, wanted],
    'npm-local': ['npm', 'install', ...quiet, wanted],
    'pnpm-global': ['pnpm', 'add', '--global', wanted],
    'pnpm-local': ['pnpm', 'add', wanted],
    'yarn-global': ['yarn', 'global', 'add', wanted],
    'yarn-local': ['yarn', 'add', wanted],
    'bun-global': ['bun', 'add', '--global', wanted],
    'bun-local': ['bun', 'add', wanted],
  }
  return commands[method] as readonly [string, ...string[]]
}

/** `lib/node_modules` is below the prefix; on Windows `node_modules` is. */
function prefixOf(root: string, project: string): string {
  return root.split(sep).includes('lib') && project.endsWith(`${sep}lib`) ? dirname(project) : project
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
