import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type WorkspacePaths, workspacePaths } from '../../lib/workspace/paths.js'

/** Environment of the demo: a free port, no download, and nothing that refers to the user's own daemon. */
const demoEnvironment = {
  SERVICE_HOST: '127.0.0.1',
  SERVICE_PORT: '0',
  SERVICE_EMBEDDING_DOWNLOAD: '0',
  SERVICE_DAEMON_URL: undefined,
  SERVICE_NO_AUTOSTART: undefined,
  SERVICE_API_KEY: undefined,
  SERVICE_TOKEN: undefined,
} as const

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** If the demo was killed with -9, its daemon ends after this long without a request. */
const settings = 'daemon:\n  idleTimeoutMs: 60000\n'
/** A kept demo runs next to the user's daemon, which has the default port. */
const settingsToKeep = '# A workspace of memory demo --keep.\ndaemon:\n  port: 0\n'

/**
 * Runs `use` with a temporary workspace. Afterwards its daemon is stopped and the folder deleted, unless it
 * is to be kept and no error occurred. Ctrl-C aborts the signal, which `use` checks between its steps.
 */
export async function withDemoWorkspace<T>(
  { keep }: { keep: boolean },
  use: (paths: WorkspacePaths, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = workspacePaths()
  const paths = workspacePaths(await mkdtemp(join(tmpdir(), 'memory-demo-')))
  const restore = replaceEnvironment({ ...demoEnvironment, SERVICE_WORKSPACE: paths.root })
  const aborter = new AbortController()
  let isKept = false
  const abort = () => aborter.abort()
  for (const signal of stopSignals) process.on(signal, abort)
  try {
    await writeFile(paths.settings, keep ? settingsToKeep : settings, { mode: 0o600 })
    await shareModels(own, paths)
    const result = await use(paths, aborter.signal)
    isKept = keep
    return result
  } finally {
    await stop(paths)
    if (!isKept) await rm(paths.root, { recursive: true, force: true, maxRetries: 5 })
    for (const signal of stopSignals) process.off(signal, abort)
    restore()
  }
}

/** Links an already downloaded model, which is neither copied nor changed. */
async function shareModels(own: WorkspacePaths, paths: WorkspacePaths): Promise<void> {
  await mkdir(paths.daemonDir, { mode: 0o700 })
  if (existsSync(own.models)) await symlink(own.models, paths.models, 'junction')
}

async function stop(paths: WorkspacePaths): Promise<void> {
  const [{ stopWorkspaceDaemon }, { isAlive, readRegistration }] = await Promise.all([
    import('../../client/daemon/stop-daemon.js'),
    import('../../lib/workspace/registration.js'),
  ])
  try {
    await stopWorkspaceDaemon(paths.root)
  } catch {
    // The daemon hangs. Its data is about to be deleted anyway, and a demo must not leave a process behind.
    const pid = readRegistration(paths.registration)?.pid
    if (pid && isAlive(pid)) process.kill(pid, 'SIGKILL')
  }
}

function replaceEnvironment(values: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.fromEntries(Object.keys(values).map(name => [name, process.env[name]]))
  const assign = (environment: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(environment)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  assign(values)
  return () => assign(before)
}
