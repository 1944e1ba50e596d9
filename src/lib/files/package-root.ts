import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, posix, win32 } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the path of a file of this package, for example `packageFile('bin', 'daemon.js')`. */
export function packageFile(...parts: string[]): string {
  return join(packageRoot(), ...parts)
}

/** Reads a text file of this package; undefined if it is missing, as before a build. */
export function packageText(...parts: string[]): string | undefined {
  try {
    return readFileSync(packageFile(...parts), 'utf8')
  } catch {
    return undefined
  }
}

/** Returns the folder of this package, when running from the sources and from a bundle. */
export function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url))
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'bin'))) return folder
  }
  throw new Error(`the package of ${start} is incomplete: no package.json above it`)
}

/** The Node that installed this package, as `bin/record-node.js` recorded it. */
export interface InstallingNode {
  /** Path of its program. */
  node: string
  version: string
  isGone: boolean
}

/** Returns the Node that the database driver was built for; undefined when npm ran no scripts. */
export function installingNode(): InstallingNode | undefined {
  try {
    const { node, version } = JSON.parse(readFileSync(packageFile('installed-by.json'), 'utf8'))
    return { node, version, isGone: !existsSync(node) }
  } catch {
    return undefined
  }
}

/**
 * Returns the Node to start our programs with: the one that installed them, or this one when that is gone.
 * The path outlasts upgrades of Node where the system has such a path.
 */
export function ownNode(): string {
  const installed = installingNode()
  const execPath = installed && !installed.isGone ? installed.node : process.execPath
  const { env, platform } = process
  return stableNode({ execPath, platform, path: env.PATH ?? env.Path ?? '', home: env.HOME ?? '', realPath })
}

/** Inputs for finding a lasting path of Node. */
export interface NodeSearch {
  execPath: string
  platform: NodeJS.Platform
  /** The PATH variable. */
  path: string
  home: string
  /** Resolves links; undefined if the file does not exist. */
  realPath: (file: string) => string | undefined
}

/** Folders with a link to the current Node, the same for every terminal. */
const commonFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/run/current-system/sw/bin',
]

/** Matches folders that disappear with an upgrade, a shell, a garbage collection or a project. */
const passingFolder = /[\\/](?:Cellar|fnm_multishells|node_modules)[\\/]|^\/nix\/store\//u

/**
 * Returns a path of the same Node that survives `brew upgrade`, the end of an fnm shell and a garbage
 * collection of Nix. `process.execPath` has its links resolved, so it names one version's own folder.
 */
export function stableNode({ execPath, platform, path, home, realPath }: NodeSearch): string {
  const { join, isAbsolute, delimiter } = platform === 'win32' ? win32 : posix
  const name = platform === 'win32' ? 'node.exe' : 'node'
  const [, prefix, formula] = /^(.*)\/Cellar\/([^/]+)\//u.exec(execPath) ?? []
  const ofFormula = prefix && formula ? join(prefix, 'opt', formula, 'bin', name) : undefined
  if (ofFormula && realPath(ofFormula) !== undefined) return ofFormula
  const real = realPath(execPath)
  if (real === undefined) return execPath
  const fnm = /^(.*[\\/])node-versions[\\/]/u.exec(real)?.[1]
  const folders = [
    ...(platform === 'win32' ? [] : commonFolders),
    ...(home ? [join(home, '.nix-profile', 'bin')] : []),
    ...(fnm ? [join(fnm, 'aliases', 'default', ...(platform === 'win32' ? [] : ['bin']))] : []),
    ...path.split(delimiter).filter(folder => isAbsolute(folder) && !isPassing(folder)),
  ]
  const lasting = folders.map(folder => join(folder, name)).find(file => realPath(file) === real)
  return lasting ?? (isPassing(execPath) && !isPassing(real) ? real : execPath)
}

/**
 * Returns a folder of the PATH under a path that outlasts this terminal; undefined if it has none. Folders
 * of npm scripts exist for one command, those of fnm for one shell.
 */
export function lastingFolder(folder: string, resolve = realPath): string | undefined {
  if (/[\\/]node_modules[\\/]\.bin[\\/]?$/u.test(folder)) return undefined
  return /[\\/]fnm_multishells[\\/]/u.test(folder) ? resolve(folder) : folder
}

function isPassing(folder: string): boolean {
  return passingFolder.test(`${folder}/`)
}

/** Resolves links in a path; undefined if it does not exist. */
export function realPath(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
