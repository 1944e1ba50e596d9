import { existsSync } from 'node:fs'
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
