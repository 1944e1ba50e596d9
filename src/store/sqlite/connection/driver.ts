import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'
import {
  type DriverPackage as AnyDriver,
  driverNames,
  firstDriver,
} from '../../../lib/threads/first-driver.js'
import type { DriverFault } from '../../../lib/workspace/driver-fault.js'

type Driver = typeof BetterSqlite
export type DriverPackage = AnyDriver<Driver>

/** The build replaces one call for the compiled driver (`bundledDriver` in scripts/bundle.js). */
const load = (name: string): Driver => createRequire(import.meta.url)(name)
const nodeApi: DriverPackage = { name: 'better-sqlite3-napi', load: () => load('better-sqlite3-napi') }
const compiled: DriverPackage = { name: 'better-sqlite3', load: () => load('better-sqlite3') }

/** Returns the drivers that a Node can load, in the order of trying. */
export function driversFor(nodeVersion: string): readonly DriverPackage[] {
  const byName = { 'better-sqlite3-napi': nodeApi, 'better-sqlite3': compiled }
  return driverNames(nodeVersion).map(name => byName[name])
}

/** Returns the first driver that opens a database. Without one, each use of the result throws DriverFault. */
export function chooseDriver(packages: readonly DriverPackage[]): { name: string; Driver: Driver } {
  try {
    return firstDriver(packages)
  } catch (error) {
    return { name: 'none', Driver: failing(error as DriverFault) }
  }
}

function failing(fault: DriverFault): Driver {
  return class {
    constructor() {
      throw fault
    }
  } as unknown as Driver
}

const chosen = chooseDriver(driversFor(process.versions.node))

/** Describes the driver in use: its package and its SQLite. @throws DriverFault */
export function describeDriver(): string {
  const connection = new chosen.Driver(':memory:')
  try {
    const sqlite = connection.prepare('SELECT sqlite_version()').pluck().get()
    return `${chosen.name} with SQLite ${sqlite}, on Node ${process.versions.node}`
  } finally {
    connection.close()
  }
}

export default chosen.Driver
