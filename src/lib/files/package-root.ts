import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the path of a file of this package, for example `packageFile('bin', 'daemon.js')`. */
export function packageFile(...parts: string[]): string {
  return join(packageRoot(), ...parts)
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
 */
export function ownNode(): string {
  const installed = installingNode()
  return installed && !installed.isGone ? installed.node : process.execPath
}
