import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const parts = ['bin', 'dist', 'models', 'src/harness-plugins', 'package.json']
/** The parts of dependencies that a daemon loads at its start, for Node below 24 and from 24 on. */
const drivers = ['better-sqlite3/build/Release/better_sqlite3.node', 'better-sqlite3-napi']

/** Copies the built package below a folder as npm installs it globally. @returns the folder of the package */
export function copyPackage(below: string, { withDrivers }: { withDrivers: boolean }): string {
  const installed = join(below, 'lib', 'node_modules', 'memory-service')
  const dependencies = withDrivers ? drivers.map(driver => join('node_modules', driver)) : []
  mkdirSync(installed, { recursive: true })
  for (const part of [...parts, ...dependencies])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(installed, part), { recursive: true })
  return installed
}
