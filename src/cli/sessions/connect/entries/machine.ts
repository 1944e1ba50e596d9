import { existsSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { lastingFolder, realPath } from '../../../../lib/files/package-root.js'
import type { WorkspacePaths } from '../../../../lib/workspace/paths.js'

/** Inputs from this machine; tests pass their own. */
export interface Machine {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Current folder, whose files belong to scope project. */
  folder: string
  platform: NodeJS.Platform
  workspace: WorkspacePaths
  /** PATH that every process has, a desktop's too; undefined where it is the terminal's. */
  systemPath: string | undefined
  /** Path of the Node that starts our programs. */
  node: string
  /** Folder of this installation. */
  packageRoot: string
  version: string
}

/**
 * Finds the first program of a name on the PATH. Folders of npx and npm scripts are skipped, because other
 * processes do not have them.
 * @param path PATH to search; the machine's own by default.
 */
export function findProgram(
  { env, platform }: Pick<Machine, 'env' | 'platform'>,
  name: string,
  path = env.PATH ?? env.Path ?? '',
): string | undefined {
  const endings = platform === 'win32' ? ['.cmd', '.exe', '.bat', ''] : ['']
  const folders = path.split(delimiter).flatMap(folder => (isAbsolute(folder) && lastingFolder(folder)) || [])
  return folders
    .flatMap(folder => endings.map(ending => join(folder, name + ending)))
    .find(file => existsSync(file))
}

/** Returns true if a program on the PATH belongs to this installation. @param bin `run.js` or `mcp.js`. */
export function isOfThisInstallation(
  { platform, packageRoot }: Pick<Machine, 'platform' | 'packageRoot'>,
  program: string,
  bin: string,
): boolean {
  // npm's wrappers on Windows are next to the folder of global packages.
  const file =
    platform === 'win32' ? join(dirname(program), 'node_modules', 'memory-service', 'bin', bin) : program
  return realPath(file) === realPath(join(packageRoot, 'bin', bin))
}
