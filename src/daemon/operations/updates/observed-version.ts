import { runQuietly } from '../../agents/programs/run-quietly.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'paths' | 'log' | 'environment'>

const timeoutMs = 30_000
/**
 * `memory --version` prints `memory-service/1.2.3 linux-x64 node-v20.19.0`; other executables may print only
 * the number.
 */
const versionIn = /(?:^|[\s/@v])(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?=$|[\s+])/mu

export interface ObservedVersion {
  /** Null when it did not start, failed, or printed none. */
  version: string | null
  /** Why the version is missing, in words. */
  problem: string
}

/** Runs a program with `--version`. A package script runs on the daemon's own Node. */
export async function readInstalledVersion(
  deps: Deps,
  { executable, signal }: { executable: string; signal: AbortSignal },
): Promise<ObservedVersion> {
  const command = executable.endsWith('.js')
    ? ([process.execPath, executable] as const)
    : ([executable] as const)
  const end = await runQuietly(deps, {
    command: [...command, '--version'] as [string, ...string[]],
    cwd: deps.paths.root,
    timeoutMs,
    signal,
  })
  if (end.status === 'timed_out')
    return { version: null, problem: `it did not finish within ${timeoutMs / 1000} s` }
  if (end.status !== 'exited') return { version: null, problem: end.error ?? 'it could not be started' }
  if (end.code !== 0) return { version: null, problem: `it ended with code ${end.code}` }
  const version = versionIn.exec(end.output)?.[1] ?? null
  return { version, problem: version === null ? 'it printed no version' : '' }
}
