import { createRequire } from 'node:module'
import type BetterSqlite from 'better-sqlite3'
import { runProtected } from '../../../lib/threads/run-protected.js'
import {
  DriverFault,
  explainFailures,
  type LoadFailure,
  minNodeApiMajor,
} from '../../../lib/workspace/driver-fault.js'

type Driver = typeof BetterSqlite

/** A driver of SQLite: a name for messages and the load of its JavaScript. */
export interface DriverPackage {
  name: string
  load: () => Driver
}

/** The build replaces one call for the compiled driver (`bundledDriver` in scripts/bundle.js). */
const load = (name: string): Driver => createRequire(import.meta.url)(name)
const nodeApi: DriverPackage = { name: 'better-sqlite3-napi', load: () => load('better-sqlite3-napi') }
const compiled: DriverPackage = { name: 'better-sqlite3', load: () => load('better-sqlite3') }

/**
 * Returns the drivers that a Node can load, in the order of trying. The Node-API one is ready made and needs
 * no install script, but aborts Node 20. An install script downloads or compiles the other one. Compiled for
 * Node 24.19 to 24.21, it may abort the process (nodejs/node#65446), so it comes second.
 */
export function driversFor(nodeVersion: string): readonly DriverPackage[] {
  return Number.parseInt(nodeVersion, 10) >= minNodeApiMajor ? [nodeApi, compiled] : [compiled]
}

/** Returns the first driver that opens a database. Without one, each use of the result throws DriverFault. */
export function chooseDriver(packages: readonly DriverPackage[]): { name: string; Driver: Driver } {
  const failures: LoadFailure[] = []
  for (const { name, load } of packages) {
    try {
      return { name, Driver: runProtected(() => openedOnce(load())) }
    } catch (error) {
      failures.push({ driver: name, error: error as Error })
    }
  }
  const fault = new DriverFault(explainFailures(failures))
  return { name: 'none', Driver: failing(fault) }
}

/** Loads the native part now: it may not fit, and ending a thread during its load would crash the process. */
function openedOnce(Driver: Driver): Driver {
  new Driver(':memory:').close()
  return Driver
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
