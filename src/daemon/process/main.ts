/**
 * The daemon: the one process that writes the memories of a workspace.
 *
 * This file is its entry: it reads the environment, opens the log, starts the daemon (`start.ts`) and ends
 * the process with an exit code. `context.ts` builds what use cases work with, `app.ts` the HTTP server.
 * HTTP requests come in; JSON goes out, and rows go to the database through `src/store`. Beside it are the
 * floors of the daemon, from `safety` up to this one. Each imports only the floors below it
 * (docs/architecture.md). The daemon has no text for terminals: that is the work of `src/cli`.
 */

import { watchFile } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keepFilesPrivate } from '../../lib/files/own-umask.js'
import { remedyOf, storageFault } from '../../lib/files/storage-fault.js'
import { collectGarbage } from '../../lib/v8/collect-garbage.js'
import { shrinkHeap } from '../../lib/v8/shrink-heap.js'
import { isPortTaken, portTakenText } from '../../lib/workspace/chosen-port.js'
import { DriverFault, driverFaultLine, exitNoDriver } from '../../lib/workspace/driver-fault.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { formatProblem, SettingsError } from '../../lib/workspace/settings-file.js'
import { version } from '../../lib/workspace/version.js'
import { isDamage, StoreInUse, StoreRefused } from '../../store/faults.js'
import { describeDriver } from '../../store/sqlite/connection/driver.js'
import { WorkspaceInUse } from '../../store/sqlite/instance-lock.js'
import { openLog } from './log.js'
import { type RunningDaemon, startDaemon } from './start.js'
import { UnsafeDisk } from './workspace-folder.js'
import { drainMsOf } from './write-registration.js'

/** Exit codes of the daemon process, from which the CLI tells why a start failed. */
const exit = {
  stopped: 0,
  failed: 1,
  settings: 2,
  workspaceInUse: 3,
  portInUse: 4,
  noDriver: exitNoDriver,
} as const

keepFilesPrivate()
/** Loads the driver of SQLite, prints which one it is, and ends: for `memory health` and an installation. */
const onlyDriver = process.argv.includes('--check-driver')
const foreground = onlyDriver || process.argv.includes('--foreground')
const paths = workspacePaths()
const { log, recentLogs, flush } = openLog(
  foreground ? 'stderr' : { file: paths.log },
  process.env.SERVICE_LOG_LEVEL ?? 'info',
)

const atRest = [collectGarbage]

/** Registers work for idle times. */
export function runWhenIdle(work: () => void): void {
  atRest.unshift(work)
}

/** Resolves when the index is loaded, the last step of a start. */
export const started = onlyDriver ? checkDriver() : run()

async function run(): Promise<void> {
  const daemon = await start()
  endWithProgram(daemon)
  void daemon.ending.then(({ why, startAgain }) =>
    startAgain ? endToStartAgain(daemon, why) : stop(daemon, why),
  )
  process.on('SIGTERM', () => void stop(daemon, 'SIGTERM'))
  process.on('SIGINT', () => void stop(daemon, 'SIGINT'))
  if (process.platform !== 'win32') process.on('SIGHUP', () => void stop(daemon, 'SIGHUP'))
  // The process state is unknown after such an error, so it ends; every acknowledged write is in the
  // database.
  process.on('uncaughtException', error => void fail(error, exit.failed))
  process.on('unhandledRejection', error => void fail(error, exit.failed))
  await daemon.loaded.then(
    () => log.info('index loaded'),
    error => fail(error, exitCodeOf(error)),
  )
}

async function checkDriver(): Promise<void> {
  try {
    process.stdout.write(`${describeDriver()}\n`)
  } catch (error) {
    await fail(error, exitCodeOf(error))
  }
  process.exit(exit.stopped)
}

async function start(): Promise<RunningDaemon> {
  try {
    const openToNetwork = process.argv.includes('--i-know-this-is-open')
    const environment = process.env
    const secretsPassphrase = take(environment, 'SERVICE_SECRETS_PASSPHRASE')
    const teamKey = take(environment, 'SERVICE_TEAM_KEY')
    const daemon = await startDaemon({
      paths,
      version,
      log,
      setLogLevel: level => {
        if (!environment.SERVICE_LOG_LEVEL) log.level = level
      },
      recentLogs,
      environment,
      secretsPassphrase,
      teamKey,
      openToNetwork,
      staysIdle: process.argv.includes('--supervised'),
      ...restoreAsked(process.argv),
      onRest: () => {
        for (const work of atRest) work()
      },
      onFirstRest: () => void shrinkHeap(),
    })
    log.info({ version, url: daemon.url, workspace: paths.root }, 'listening')
    return daemon
  } catch (error) {
    return fail(error, exitCodeOf(error))
  }
}

/** Reads `--restore FILE`, given when no daemon can open the workspace. */
function restoreAsked(words: readonly string[]): { restoreFrom?: string } {
  const file = words[words.indexOf('--restore') + 1]
  return words.includes('--restore') && file !== undefined ? { restoreFrom: file } : {}
}

/** Removes a secret from the environment, so that child programs don't inherit it. */
function take(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const secret = environment[name] || undefined
  delete environment[name]
  return secret
}

const lookMs = 5000

/**
 * Ends the daemon when its program is updated or removed, since what it loads later would be of another
 * release. The next command starts the new one, and so does a supervisor (start.md#how-it-ends).
 */
function endWithProgram(daemon: RunningDaemon): void {
  const program = fileURLToPath(import.meta.url)
  watchFile(program, { interval: lookMs, persistent: false }, (now, before) => {
    if (now.ino === before.ino && now.mtimeMs === before.mtimeMs && now.size === before.size) return
    endToStartAgain(daemon, 'its program was replaced or removed')
  })
}

/** Ends the daemon; the next command or its supervisor starts it. */
function endToStartAgain(daemon: RunningDaemon, why: string): void {
  const supervised = process.argv.includes('--supervised')
  void stop(daemon, why, supervised ? exit.failed : exit.stopped)
}

const stopping: { begun: boolean } = { begun: false }

async function stop(daemon: RunningDaemon, why: string, code: number = exit.stopped): Promise<void> {
  if (stopping.begun) return
  stopping.begun = true
  log.info({ why }, 'stopping')
  // A hanging part must not keep the process alive: everything acknowledged is on disk.
  const forced = delay(drainMsOf(process.env) + 15_000, exit.failed, { ref: false })
  const ended = await Promise.race([daemon.close().then(() => code), forced])
  await flush()
  process.exit(ended)
}

async function fail(error: unknown, code: number): Promise<never> {
  // In the foreground stderr is the log, and `explain` follows; skip the stack.
  if (!foreground || code === exit.failed) log.fatal({ err: error }, 'daemon failed')
  process.stderr.write(`${explain(error)}\n`)
  await flush()
  process.exit(code)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof SettingsError || error instanceof UnsafeDisk || error instanceof StoreRefused)
    return exit.settings
  if (error instanceof WorkspaceInUse || error instanceof StoreInUse) return exit.workspaceInUse
  if (error instanceof DriverFault) return exit.noDriver
  return isPortTaken(error) ? exit.portInUse : exit.failed
}

function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.problems.map(formatProblem).join('\n')
  if (error instanceof DriverFault) return driverFaultLine(error)
  // In the background the starting command gives its own advice.
  if (error instanceof WorkspaceInUse && foreground)
    return `${error.message}; see memory daemon status, or run memory daemon stop`
  const fault = storageFault(error)
  if (fault) return `${fault}: ${remedyOf(fault)} (${paths.root})`
  if (isDamage(error))
    return `the database ${paths.database} is damaged (${(error as Error).message}): run memory health for the next steps`
  const { code, message, syscall } = error as NodeJS.ErrnoException
  if (isPortTaken(error)) return portTakenText(error as NodeJS.ErrnoException)
  if (code === 'EACCES' && syscall === 'listen')
    return `${message}; choose a port above 1023 or give the daemon the right to it`
  return message
}
