import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of this package, for example `packageFile('bin', 'daemon.js')`. */
export function packageFile(...parts: string[]): string {
  return join(packageRoot(), ...parts)
}

/** Folder of this package, from the sources and from a bundle alike. */
export function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url))
  for (let folder = start; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'bin'))) return folder
  }
  throw new Error(`the package of ${start} is incomplete: no package.json above it`)
}
