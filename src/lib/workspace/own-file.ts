import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isInside } from '../files/is-inside.js'
import type { WorkspacePaths } from './paths.js'

/**
 * Returns true for a file of the workspace itself: secrets, settings and memories. Callers must not be able
 * to read them by naming them (security.md#modes).
 * @param path without symbolic links.
 */
export async function isOwnFile(paths: WorkspacePaths, path: string): Promise<boolean> {
  // The workspace may not exist yet; then it has no files.
  const root = await realpath(paths.root).catch(() => paths.root)
  const { secretsDir, daemonDir, memoryDir, settings, summary } = paths
  return [secretsDir, daemonDir, memoryDir, settings, summary]
    .map(own => join(root, relative(paths.root, own)))
    .some(own => path === own || isInside(own, path))
}
