import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'

const others = 0o077

/**
 * Removes other users' access to our folders and their direct entries, left open by earlier releases or
 * programs that copied the workspace. The owner's own files (AGENTS.md, scripts, link targets, the workspace
 * itself) are unchanged. File systems without modes are accepted.
 */
export function restrictToOwner(
  { memoryDir, daemonDir, logsDir, captures, hookSpool, secretsDir }: WorkspacePaths,
  log: Logger,
): void {
  if (process.platform === 'win32') return
  for (const folder of [memoryDir, daemonDir, logsDir, captures, hookSpool, secretsDir])
    try {
      for (const path of [folder, ...readdirSync(folder).map(name => join(folder, name))]) close(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        log.warn({ err: error }, 'other users of this machine may read files of the workspace')
    }
}

function close(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats || stats.isSymbolicLink() || (stats.mode & others) === 0) return
  chmodSync(path, stats.mode & 0o777 & ~others)
}
