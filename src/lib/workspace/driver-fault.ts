import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { installingNode, packageRoot } from '../files/package-root.js'
import { packageName } from './version.js'

/** Exit code of a daemon, and of a command, without a driver of SQLite (start.md). */
export const exitNoDriver = 7

/** Why no driver of SQLite loads, as a sentence, and a command that helps. */
export interface DriverProblem {
  message: string
  nextStep: string
}

/** Thrown when a database is opened, but no driver of SQLite could be loaded. */
export class DriverFault extends Error implements DriverProblem {
  readonly nextStep: string

  constructor({ message, nextStep }: DriverProblem) {
    super(message)
    this.name = 'DriverFault'
    this.nextStep = nextStep
  }
}

/** Why a driver did not load. */
export interface LoadFailure {
  driver: string
  error: Error
}

/** Node from this major on needs no compiled driver. */
export const minNodeApiMajor = 22

/** Explains why none of the drivers that suit this Node loads. */
export function explainFailures(
  failures: readonly LoadFailure[],
  facts = { running: process.versions.node, installed: installingNode()?.version, root: packageRoot() },
): DriverProblem {
  const { running, installed, root } = facts
  const isPackage = basename(dirname(root)) === 'node_modules'
  const install = isPackage ? `npm install -g ${packageName}` : `npm ci --prefix ${root}`
  const isOther = failures.some(({ error }) => /NODE_MODULE_VERSION/u.test(error.message))
  if (isOther || (installed !== undefined && majorOf(installed) !== majorOf(running))) {
    const other = installed === undefined || installed === running ? 'another Node' : `Node ${installed}`
    return {
      message: `${packageName} was installed with ${other} and runs on Node ${running}, so no SQLite driver loads`,
      nextStep: install,
    }
  }
  const reasons = failures.map(({ driver, error }) => `${driver} ${reasonOf(error)}`).join(', ')
  const compiling = `${install}${isPackage ? ' --allow-scripts=better-sqlite3' : ''} (needs a C++ compiler)`
  return {
    message: `no SQLite driver loads on Node ${running}: ${reasons}`,
    nextStep:
      majorOf(running) < minNodeApiMajor ? `use Node ${minNodeApiMajor} or newer, or ${compiling}` : install,
  }
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}

function reasonOf(error: Error): string {
  if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND')
    return /\.node'/u.test(error.message) ? 'is not compiled' : 'is not installed'
  const library = /version `([A-Z]+_[\d.]+)' not found/u.exec(error.message)?.[1]
  if (library) return `needs ${library}`
  return `fails (${error.message.split('\n')[0]})`
}

const next = '; next: '

/** The line that a daemon without a driver writes as its last one. */
export function driverFaultLine({ message, nextStep }: DriverProblem): string {
  return `${message}${next}${nextStep}`
}

/** Finds that line in the output of a daemon; undefined when it did not fail for this reason. */
export function driverFaultIn(output: string): DriverProblem | undefined {
  const line = output.split('\n').find(one => one.includes('no SQLite driver loads') && one.includes(next))
  const [message = '', nextStep = ''] = line?.split(next) ?? []
  return line === undefined ? undefined : { message, nextStep: nextStep.trim() }
}

/** Returns why the last start of a daemon ended, if no driver of SQLite loaded. */
export function lastDriverFault(launchLog: string): DriverProblem | undefined {
  try {
    return driverFaultIn(readFileSync(launchLog, 'utf8'))
  } catch {
    return undefined
  }
}
