/**
 * The daemon: the one process that writes the memories of a workspace.
 *
 * This file is its entry: it reads the environment, opens the log, starts the daemon (`start.ts`) and ends
 * the process with an exit code. `context.ts` builds what use cases work with, `app.ts` the HTTP server.
 * HTTP requests come in; JSON goes out, and rows go to the database through `src/store`. Beside it are the
 * floors of the daemon, from `safety` up to this one. Each imports only the floors below it
 * (docs/architecture.md). The daemon has no text for terminals: that is the work of `src/cli`.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { keepFilesPrivate } from '../../lib/files/own-umask.js'
import { remedyOf, storageFault } from '../../lib/files/storage-fault.js'
import { collectGarbage } from '../../lib/v8/collect-garbage.js'
import { limitYoungHeap, withUsualGrowth } from '../../lib/v8/young-heap.js'
import { workspacePaths } from '../../lib/workspace/paths.js'
import { formatProblem, SettingsError } from '../../lib/workspace/settings-file.js'
import { version } from '../../lib/workspace/version.js'
import { isDamage } from '../../store/sqlite/connection/damage.js'
import { WorkspaceInUse } from '../../store/sqlite/instance-lock.js'
import { openLog } from './log.js'
import { type RunningDaemon, startDaemon } from './start.js'

/** Exit codes of the daemon process; the CLI tells by them why a start failed. */
const exit = { stopped: 0, failed: 1, settings: 2, workspaceInUse: 3, portInUse: 4 } as const

keepFilesPrivate()
const foreground = process.argv.includes('--foreground')
const paths = workspacePaths()
const { log, recentLogs, flush } = openLog(
  foreground ? 'stderr' : { file: paths.log },
  process.env.SERVICE_LOG_LEVEL ?? 'info',
)

const atRest = [collectGarbage]

/** For who loads this program: a daemon that rested once runs under others. */
export { withUsualGrowth }

/** Has something done, under V8's own flags, whenever nobody asked anything for a while. */
export function whenItRests(work: () => void): void {
  atRest.unshift(() => withUsualGrowth(work))
}

/** Resolves when the index is loaded, which is the last step of a start. */
export const started = run()

async function run(): Promise<void> {
  const daemon = await start()
  process.on('SIGTERM', () => void stop(daemon, 'SIGTERM'))
  process.on('SIGINT', () => void stop(daemon, 'SIGINT'))
  if (process.platform !== 'win32') process.on('SIGHUP', () => void stop(daemon, 'SIGHUP'))
  // The state of the process is unknown after such an error, so it ends; every acknowledged write is in the database.
  process.on('uncaughtException', error => void fail(error, exit.failed))
  process.on('unhandledRejection', error => void fail(error, exit.failed))
  await daemon.loaded.then(
    () => log.info('index loaded'),
    error => fail(error, exit.failed),
  )
}

async function start(): Promise<RunningDaemon> {
  const holder: { daemon?: RunningDaemon } = {}
  try {
    const onStop = (why: string): void => {
      if (holder.daemon) void stop(holder.daemon, why)
    }
    const openToNetwork = process.argv.includes('--i-know-this-is-open')
    const environment = process.env
    const secretsPassphrase = takePassphrase(environment)
    holder.daemon = await startDaemon({
      paths,
      version,
      log,
      recentLogs,
      environment,
      secretsPassphrase,
      openToNetwork,
      staysIdle: process.argv.includes('--supervised'),
      ...restoreAsked(process.argv),
      onStop,
      onRest: () => {
        for (const work of atRest) work()
      },
      onFirstRest: () => void limitYoungHeap(),
    })
  } catch (error) {
    return fail(error, exitCodeOf(error))
  }
  log.info({ version, url: holder.daemon.url, workspace: paths.root }, 'listening')
  return holder.daemon
}

/** `--restore FILE`, from the command line for a workspace that no daemon can open. */
function restoreAsked(words: readonly string[]): { restoreFrom?: string } {
  const file = words[words.indexOf('--restore') + 1]
  return words.includes('--restore') && file !== undefined ? { restoreFrom: file } : {}
}

/** Out of the environment: no program that the daemon starts is to inherit it. */
function takePassphrase(environment: NodeJS.ProcessEnv): string | undefined {
  const passphrase = environment.SERVICE_SECRETS_PASSPHRASE
  delete environment.SERVICE_SECRETS_PASSPHRASE
  return passphrase
}

const stopping: { begun: boolean } = { begun: false }

async function stop(daemon: RunningDaemon, why: string): Promise<void> {
  if (stopping.begun) return
  stopping.begun = true
  log.info({ why }, 'stopping')
  // A part that hangs must not keep the process: everything acknowledged is on disk.
  const forced = delay(15_000, exit.failed, { ref: false })
  const code = await Promise.race([daemon.close().then(() => exit.stopped), forced])
  await flush()
  process.exit(code)
}

async function fail(error: unknown, code: number): Promise<never> {
  // In the foreground the log is the terminal: what is explained there needs no stack before it.
  if (!foreground || code === exit.failed) log.fatal({ err: error }, 'the daemon cannot go on')
  process.stderr.write(`${explain(error)}\n`)
  await flush()
  process.exit(code)
}

function exitCodeOf(error: unknown): number {
  if (error instanceof SettingsError) return exit.settings
  if (error instanceof WorkspaceInUse) return exit.workspaceInUse
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? exit.portInUse : exit.failed
}

function explain(error: unknown): string {
  if (error instanceof SettingsError) return error.problems.map(formatProblem).join('\n')
  // What starts it in the background says by itself what to do.
  if (error instanceof WorkspaceInUse && foreground)
    return `${error.message}: memory daemon status tells of it, memory daemon stop ends it`
  const fault = storageFault(error)
  if (fault) return `${fault}: ${remedyOf(fault)} (${paths.root})`
  if (isDamage(error))
    return `the database ${paths.database} is damaged (${(error as Error).message}): memory doctor says what there is to do`
  const { code, message, port, address, syscall } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is taken by another program; stop it or set SERVICE_PORT (or daemon.port in agent.yaml) to a free one`
  if (code === 'EACCES' && syscall === 'listen')
    return `${message}; choose a port above 1023 or give the daemon the right to it`
  return message
}
