import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renamePatiently } from '../../lib/files/patient-rename.js'
import { jsonOf } from '../../lib/text/json-of.js'

/**
 * Reads when each secret was last used, by name; names and times are not secret. An invalid file counts as
 * empty.
 */
export function readSecretUses(file: string): Map<string, string> {
  try {
    const stored = jsonOf(readFileSync(file, 'utf8'))
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return new Map(
      entries.filter((pair): pair is [string, string] => !Number.isNaN(Date.parse(String(pair[1])))),
    )
  } catch {
    return new Map()
  }
}

/** Writes the file atomically, but a power failure may lose it. @throws node's error. */
export async function writeSecretUses(file: string, uses: ReadonlyMap<string, string>): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  try {
    await writeFile(temporary, JSON.stringify(Object.fromEntries(uses)), { mode: 0o600 })
    await renamePatiently(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true, maxRetries: 5 })
    throw error
  }
}
