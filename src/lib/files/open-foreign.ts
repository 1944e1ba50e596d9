import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Reads a text file in a folder that is not ours; undefined unless it is a regular file within the limit. */
export async function readForeignText(
  file: string,
  { maxBytes }: { maxBytes: number },
): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined)
  try {
    const info = await handle?.stat()
    if (!handle || !info?.isFile() || info.size > maxBytes) return undefined
    return await handle.readFile('utf8')
  } catch {
    return undefined
  } finally {
    await handle?.close()
  }
}
