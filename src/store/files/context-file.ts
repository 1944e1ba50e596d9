import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isInside } from '../../lib/files/folders.js'

/**
 * Reads the beginning of a workspace text file that a user may edit at any time.
 * @param path relative to the workspace, or absolute inside it; links that lead out of it are not followed.
 * @returns '' when the file is missing or may not be read.
 */
export async function readContextFile(workspace: string, path: string, maxBytes: number): Promise<string> {
  try {
    // Most workspaces have some of these files only, and an absent one ends here.
    const file = await realpath(resolve(workspace, path))
    const root = await realpath(workspace)
    if (!isInside(root, file)) return ''
    // Non-blocking, so that opening a named pipe does not wait.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (!(await handle.stat()).isFile()) return ''
      const buffer = Buffer.alloc(maxBytes)
      const { bytesRead } = await handle.read(buffer, 0, maxBytes, 0)
      const text = new TextDecoder('utf-8').decode(buffer.subarray(0, bytesRead), { stream: true })
      return text.replaceAll('\0', '')
    } finally {
      await handle.close()
    }
  } catch {
    return ''
  }
}
