import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { WorkspacePaths } from '../../../../lib/workspace/paths.js'

/** What connecting looks at; tests hand in their own. */
export interface Machine {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** The current folder: project scope means the files below it. */
  folder: string
  platform: NodeJS.Platform
  workspace: WorkspacePaths
  /** This Node. */
  node: string
  /** Folder of this installation. */
  packageRoot: string
  version: string
}

/**
 * The first program of this name on the PATH; folders of npx and npm scripts do not count, since nobody else has them.
 * @param path PATH to look in; the machine's own when absent.
 */
export function findProgram(
  { env, platform }: Pick<Machine, 'env' | 'platform'>,
  name: string,
  path = env.PATH ?? env.Path ?? '',
): string | undefined {
  const endings = platform === 'win32' ? ['.cmd', '.exe', '.bat', ''] : ['']
  const folders = path.split(delimiter).filter(folder => isAbsolute(folder) && !isOfScripts(folder))
  return folders
    .flatMap(folder => endings.map(ending => join(folder, name + ending)))
    .find(file => existsSync(file))
}

/** Whether a program on the PATH is one of this installation. @param bin `run.js` or `mcp.js`. */
export function isOfThisInstallation(
  { platform, packageRoot }: Pick<Machine, 'platform' | 'packageRoot'>,
  program: string,
  bin: string,
): boolean {
  // npm's wrappers on Windows lie beside the folder of global packages.
  const file =
    platform === 'win32' ? join(dirname(program), 'node_modules', 'memory-service', 'bin', bin) : program
  return realPath(file) === realPath(join(packageRoot, 'bin', bin))
}

function isOfScripts(folder: string): boolean {
  return /[\\/]node_modules[\\/]\.bin[\\/]?$/u.test(folder)
}

/** A path without links; undefined when nothing is there. */
export function realPath(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
