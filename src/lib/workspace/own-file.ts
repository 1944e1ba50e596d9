import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isInside } from '../files/is-inside.js'
import type { WorkspacePaths } from './paths.js'

/**
 * Whether a file is one of the workspace's own: secrets, settings, and what others said. Nobody has them read by naming
 * them (security.md#modes).
 * @param path without links.
 */
export async function isOwnFile(paths: WorkspacePaths, path: string): Promise<boolean> {
  // Where there is no workspace yet, nothing is its own.
  const root = await realpath(paths.root).catch(() => paths.root)
  const { secretsDir, daemonDir, memoryDir, settings, summary } = paths
  return [secretsDir, daemonDir, memoryDir, settings, summary]
    .map(own => join(root, relative(paths.root, own)))
    .some(own => path === own || isInside(own, path))
}
