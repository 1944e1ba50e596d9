import { pino } from 'pino'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import { startDaemon } from '../../src/daemon/process/start.js'
import { type WorkspacePaths, workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from './workspace.js'

/** Runs `work` with a daemon inside this process, in a temporary workspace that is removed afterwards. */
export async function withDaemonHere<T>(
  work: (daemon: Daemon, paths: WorkspacePaths) => Promise<T>,
  prepare: (paths: WorkspacePaths) => void = () => undefined,
): Promise<T> {
  const { folder, remove } = temporaryWorkspace()
  const paths = workspacePaths(folder)
  prepare(paths)
  const running = await startDaemon({
    paths,
    version: '0.0.0',
    log: pino({ level: 'silent' }),
    environment: { SERVICE_PORT: '0' },
  })
  try {
    const daemon = await running.ready
    await running.loaded
    return await work(daemon, paths)
  } finally {
    await running.close()
    remove()
  }
}
