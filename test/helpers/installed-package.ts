import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const parts = ['bin', 'dist', 'models', 'src/harness-plugins', 'package.json']
/** The parts of dependencies that daemons and their child processes load, for Node 20 and from 22 on. */
const drivers = [
  ...['package.json', 'lib', 'build/Release/better_sqlite3.node'].map(part => `better-sqlite3/${part}`),
  'bindings',
  'file-uri-to-path',
  'better-sqlite3-napi',
]

/** Copies the built package below a folder as npm installs it globally. @returns the folder of the package */
export function copyPackage(below: string, { withDrivers }: { withDrivers: boolean }): string {
  const installed = join(below, 'lib', 'node_modules', 'memory-service')
  const dependencies = withDrivers ? drivers.map(driver => join('node_modules', driver)) : []
  mkdirSync(installed, { recursive: true })
  for (const part of [...parts, ...dependencies])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(installed, part), { recursive: true })
  return installed
}
