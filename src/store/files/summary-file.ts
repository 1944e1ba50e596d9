import { createHash, randomUUID } from 'node:crypto'
import { constants, copyFile, mkdir, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renamePatiently } from '../../lib/files/patient-rename.js'

const mark =
  /^<!-- memory-service wrote this file; what you change moves to MEMORY\.md\.bak \(([0-9a-f]{16})\) -->\n/u
/** Maximum number of backup files; more user edits than that are not expected. */
const maxAside = 100

/**
 * Atomically writes MEMORY.md for its owner alone, unless it is unchanged. A file that a user wrote or
 * changed is first copied to a free name, `.bak` or `.bak.N`.
 * @returns the result.
 */
export async function writeSummary(file: string, text: string): Promise<'written' | 'unchanged'> {
  const marked = `<!-- memory-service wrote this file; what you change moves to MEMORY.md.bak (${digestOf(text)}) -->\n${text}`
  const present = await readIfThere(file)
  if (present === marked) return 'unchanged'
  if (present !== undefined && !isOurs(present)) await keepAside(file, present)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(marked)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await renamePatiently(temporary, file)
  } finally {
    await rm(temporary, { force: true, maxRetries: 5 })
  }
  return 'written'
}

/** Removes our header from MEMORY.md, which only readers of the file itself need. */
export function withoutMark(text: string): string {
  return text.replace(mark, '')
}

/** Returns whether we wrote the text and it was not edited since. */
function isOurs(text: string): boolean {
  const found = mark.exec(text)
  return found !== null && found[1] === digestOf(text.slice(found[0].length))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** A copy, so that a kill in between loses nothing; an existing equal backup is enough. */
async function keepAside(file: string, text: string): Promise<void> {
  for (let n = 0; n < maxAside; n++) {
    const aside = n === 0 ? `${file}.bak` : `${file}.bak.${n}`
    const there = await readIfThere(aside)
    if (there === text) return
    if (there !== undefined) continue
    await copyFile(file, aside, constants.COPYFILE_EXCL)
    return
  }
  throw new Error(`there are ${maxAside} files ${file}.bak already; remove some`)
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
