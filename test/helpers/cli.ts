import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { execa, type Options, type ResultPromise } from 'execa'
import { isAlive } from '../../src/lib/workspace/registration.js'
import { temporaryFolder } from './temporary-folder.js'

export interface CliOptions {
  /** Text or bytes on stdin; empty and closed by default. */
  stdin?: string | Uint8Array
  /** Added to an environment with the test's workspace and a free port. */
  env?: Record<string, string | undefined>
  /** Working directory of the process; the current one by default. */
  folder?: string
  /** umask of the process, in octal; unchanged by default. */
  umask?: string
}

export interface CliResult {
  code: number
  stdout: string
  stderr: string
  /** Parses stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of any command
  json: () => any
}

const bin = join(import.meta.dirname, '..', '..', 'bin', 'run.js')
const workspaces = new WeakMap<object, string>()

/** Runs the built CLI to its end. All runs of one test share a workspace; its daemon stops with the test. */
export async function runCli(
  t: ExecutionContext,
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const { exitCode = -1, stdout, stderr } = await startCli(t, args, options)
  return { code: exitCode, stdout, stderr, json: () => JSON.parse(stdout) }
}

/**
 * Starts the built CLI without waiting, for long-running commands and signals. It is killed at the end of the
 * test.
 */
export function startCli(
  t: ExecutionContext,
  args: readonly string[],
  { stdin, env, folder, umask }: CliOptions = {},
) {
  const command = [process.execPath, bin, ...args]
  const [file = '', ...words] =
    umask === undefined ? command : ['sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...command]
  const child = execa(file, words, {
    ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
    env: { ...environmentOf(t), ...env },
    ...(folder !== undefined && { cwd: folder }),
    extendEnv: false,
    reject: false,
    timeout: 300_000,
  } satisfies Options)
  t.teardown(() => child.kill('SIGKILL'))
  return child as unknown as ResultPromise<{ reject: false }> & Promise<Ended>
}

interface Ended {
  exitCode?: number
  stdout: string
  stderr: string
}

/**
 * Configures a workspace without vectors: `none` disables them, `local` names a model that is not installed.
 */
export function withoutVectors(t: ExecutionContext, provider: 'none' | 'local' = 'none'): void {
  const model = provider === 'local' ? '  model: Xenova/gte-small\n' : ''
  writeFileSync(join(cliWorkspace(t), 'agent.yaml'), `embedding:\n  provider: ${provider}\n${model}`)
}

/** The workspace of a test, created on first use. */
export function cliWorkspace(t: ExecutionContext): string {
  const known = workspaces.get(t)
  if (known) return known
  const workspace = temporaryFolder(t, 'memory-service-cli')
  workspaces.set(t, workspace)
  t.teardown(() => endDaemon(workspace))
  return workspace
}

/** The pid in a workspace's registration; undefined when there is none. */
export function registeredPid(workspace: string): number | undefined {
  try {
    return JSON.parse(readFileSync(join(workspace, '.daemon', 'daemon.json'), 'utf8')).pid
  } catch {
    return undefined
  }
}

/** Finds a free port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Waits until a condition is true. @throws after five minutes, a limit that also fits a busy machine */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 300_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`still waiting after five minutes until ${what}`)
    await sleep(20)
  }
}

/** An environment with the test's workspace and a free port. */
export function environmentOf(t: ExecutionContext): Record<string, string | undefined> {
  const workspace = cliWorkspace(t)
  const { PATH, SystemRoot, TEMP, TMPDIR } = process.env
  return {
    PATH,
    SystemRoot,
    TEMP,
    TMPDIR,
    HOME: workspace,
    SERVICE_WORKSPACE: workspace,
    SERVICE_PORT: '0',
    SERVICE_EMBEDDING_DOWNLOAD: '0',
    SERVICE_EMBEDDING_PROVIDER: 'static',
  }
}

async function endDaemon(workspace: string): Promise<void> {
  // A hook's background command may still be starting the daemon; a daemon stopped now would be started
  // again.
  const isDaemon = (pid: number) => pid === registeredPid(workspace)
  await until(() => processesWith(workspace).every(isDaemon), 'all commands in the workspace have ended')
  const pid = registeredPid(workspace)
  // A fake daemon inside this process is stopped by its own teardown.
  if (!pid || pid === process.pid || !isAlive(pid)) return
  process.kill(pid, 'SIGTERM')
  await until(() => !isAlive(pid), `daemon ${pid} has ended`)
}

/** Other processes with this workspace in their environment; only Linux can list them. */
function processesWith(workspace: string): number[] {
  if (process.platform !== 'linux') return []
  const given = `SERVICE_WORKSPACE=${workspace}\0`
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter(pid => pid !== process.pid && environmentIn(`/proc/${pid}/environ`).includes(given))
}

/** Empty when the process has ended. */
function environmentIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
