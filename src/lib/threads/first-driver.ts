import { DriverFault, explainFailures, type LoadFailure, minNodeApiMajor } from '../workspace/driver-fault.js'
import { runProtected } from './run-protected.js'

type DriverName = 'better-sqlite3-napi' | 'better-sqlite3'

/** A driver of SQLite: a name for messages and the load of its JavaScript. */
export interface DriverPackage<Driver> {
  name: string
  load: () => Driver
}

/**
 * Returns the drivers that a Node can load, in the order of trying. The Node-API one is ready made and needs
 * no install script, but aborts Node 20. An install script downloads or compiles the other one. Compiled for
 * Node 24.19 to 24.21, it may abort the process (nodejs/node#65446), so it comes second.
 */
export function driverNames(nodeVersion: string): readonly DriverName[] {
  const isNew = Number.parseInt(nodeVersion, 10) >= minNodeApiMajor
  return isNew ? ['better-sqlite3-napi', 'better-sqlite3'] : ['better-sqlite3']
}

/** Returns the first driver that opens a database. @throws DriverFault if none does. */
export function firstDriver<Driver extends new (path: string) => { close(): unknown }>(
  packages: readonly DriverPackage<Driver>[],
): { name: string; Driver: Driver } {
  const failures: LoadFailure[] = []
  for (const { name, load } of packages) {
    try {
      return { name, Driver: runProtected(() => openedOnce(load())) }
    } catch (error) {
      failures.push({ driver: name, error: error as Error })
    }
  }
  throw new DriverFault(explainFailures(failures))
}

/** Loads the native part now: it may not fit, and ending a thread during its load would crash the process. */
function openedOnce<Driver extends new (path: string) => { close(): unknown }>(Driver: Driver): Driver {
  new Driver(':memory:').close()
  return Driver
}
