import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type WorkspacePaths, workspacePaths } from '../../lib/workspace/paths.js'

/** Environment of the demo: a free port, no download, and nothing that points at the user's own daemon. */
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

/** A daemon whose demo was killed with -9 ends by itself after this long without a request. */
const settings = 'daemon:\n  idleTimeoutMs: 60000\n'
/** What is kept is looked at beside a daemon of one's own, which has the usual port. */
const settingsToKeep = '# A workspace of memory demo --keep.\ndaemon:\n  port: 0\n'

/**
 * Gives `use` a workspace of its own in the temp folder; whatever happens then, its daemon is stopped and the
 * folder deleted, unless it is to be kept and nothing failed. Ctrl-C aborts the signal, which `use` looks at between its
 * steps.
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

/** A model that is on this machine already is used, and never copied or changed. */
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
    // It hangs: its data is about to be deleted anyway, and a demo must not leave a process behind.
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
