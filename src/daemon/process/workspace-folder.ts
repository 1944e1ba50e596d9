import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type NetworkDisk, networkDiskOf } from '../../lib/files/network-disk.js'
import { closeToUsers, isOutsideProfile } from '../../lib/files/own-umask.js'
import type { WorkspacePaths } from '../../lib/workspace/paths.js'

const others = 0o077

/** The workspace is on a disk where a database would be damaged. */
export class UnsafeDisk extends Error {
  override name = 'UnsafeDisk'
}

/** Disks that make no new workspace: Windows and WSL, or two machines, would open the same database. */
const refused: ReadonlySet<NetworkDisk> = new Set(['9p', 'SMB'])

interface DiskOptions {
  paths: Pick<WorkspacePaths, 'root' | 'database'>
  environment: NodeJS.ProcessEnv
  log: Pick<Logger, 'warn'>
  diskOf?: (folder: string) => Promise<NetworkDisk | undefined>
}

/**
 * Refuses a new workspace on a disk that two systems may have open at once, unless SERVICE_NETWORK_DISK is 1,
 * and warns about an existing one. @throws UnsafeDisk
 */
export async function checkDisk({
  paths: { root, database },
  environment,
  log,
  diskOf = networkDiskOf,
}: DiskOptions): Promise<void> {
  const disk = await diskOf(root)
  if (disk === undefined) return
  const isAllowed = environment.SERVICE_NETWORK_DISK === '1' || !refused.has(disk) || existsSync(database)
  if (!isAllowed)
    throw new UnsafeDisk(
      `the workspace ${root} would be on a ${disk} disk, where two systems damage the database; use a folder of this system, or SERVICE_DAEMON_URL to use a daemon of the other system (SERVICE_NETWORK_DISK=1 allows it all the same)`,
    )
  log.warn(
    { disk, workspace: root },
    'workspace on a network disk; a second system would damage the database',
  )
}

/**
 * On Windows closes a new workspace outside the user's profile to the other users of the machine. Modes do
 * nothing there, and an existing folder keeps the rights that a person gave it.
 */
export async function closeNewWorkspace(
  { root, database }: Pick<WorkspacePaths, 'root' | 'database'>,
  {
    environment,
    log,
    platform = process.platform,
  }: { environment: NodeJS.ProcessEnv; log: Pick<Logger, 'warn'>; platform?: NodeJS.Platform },
): Promise<void> {
  if (platform !== 'win32' || existsSync(database) || !isOutsideProfile(root, environment)) return
  await closeToUsers(root, environment).catch(error =>
    log.warn({ err: error }, 'other users of this machine may read the workspace; see memory health'),
  )
}

/**
 * Removes other users' access to our folders and their direct entries, left open by earlier releases or
 * programs that copied the workspace. The owner's own files (AGENTS.md, scripts, link targets, the workspace
 * itself) are unchanged. File systems without modes are accepted.
 */
export function restrictToOwner(
  { memoryDir, daemonDir, logsDir, captures, hookSpool, toolQueue, secretsDir }: WorkspacePaths,
  log: Logger,
): void {
  if (process.platform === 'win32') return
  for (const folder of [memoryDir, daemonDir, logsDir, captures, hookSpool, toolQueue, secretsDir])
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
