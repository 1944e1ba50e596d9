import { access, appendFile, chmod, constants, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renamePatiently } from '../../lib/files/patient-rename.js'
import { appendLines, linesFromEnd, sizeOf } from './line-file.js'

/** An event in a file: its name, time (ISO 8601) and properties as JSON. */
interface EventRecord {
  event: string
  at: string
  properties: string
}

/** Appends events as JSON lines to a file only its owner can read. A power failure may lose them. */
export async function appendEvents(file: string, events: readonly EventRecord[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await appendFile(file, events.map(lineOf).join(''), { mode: 0o600 })
}

/** Inserts the properties as they are, because serializing them again would double the cost of a line. */
function lineOf({ event, at, properties }: EventRecord): string {
  return `{"event":${JSON.stringify(event)},"properties":${properties},"timestamp":${JSON.stringify(at)}}\n`
}

/** Returns the error code when events can't be appended to a file. Does not write anything. */
export async function eventFileFault(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file).catch(() => undefined)
    if (found && !found.isFile()) return 'EISDIR'
    const folder = (await stat(dirname(file)).catch(() => undefined)) ? dirname(file) : dirname(dirname(file))
    await access(found ? file : folder, constants.W_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** Renames a file that is too large, replacing the one renamed before. @returns whether it was renamed. */
export async function rotateEvents(file: string, maxBytes: number): Promise<boolean> {
  if ((await sizeOf(file)) <= maxBytes) return false
  await renamePatiently(file, previousEvents(file))
  return true
}

/** Returns the path to which `rotateEvents` renames a file. */
export function previousEvents(file: string): string {
  return `${file}.1`
}

/** Appends lines on a new line, even if a kill cut the last one off. They are on disk when this resolves. */
export async function appendWholeLines(file: string, lines: readonly string[]): Promise<void> {
  await appendLines(file, (await endsInLine(file)) ? lines : ['', ...lines])
}

/**
 * Repairs a file of events and its permissions. It is renamed when it is not a file, or none of the complete
 * lines in its last 64 KiB is valid.
 * @param makesSense validates one line.
 * @returns the new name if it was renamed.
 */
export async function mendEvents(
  file: string,
  suffix: string,
  makesSense: (line: string) => boolean,
): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return undefined
  if (found.isFile() && (await hasValidLine(file, makesSense))) {
    await chmod(file, 0o600)
    return undefined
  }
  const aside = `${file}.${suffix}`
  await renamePatiently(file, aside)
  return aside
}

async function hasValidLine(file: string, makesSense: (line: string) => boolean): Promise<boolean> {
  const bytes = 64 * 1024
  let lines = 0
  for await (const line of linesFromEnd(file, { maxBytes: bytes, maxLineBytes: bytes })) {
    if (makesSense(line)) return true
    lines++
  }
  // A single line cut off by a kill is not damage.
  return lines === 0 || (lines === 1 && !(await endsInLine(file)))
}

/** Returns whether the file ends with a line feed, or is empty. */
async function endsInLine(file: string): Promise<boolean> {
  const size = await sizeOf(file)
  if (size === 0) return true
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    return bytesRead === 1 && buffer[0] === 10
  } finally {
    await handle.close()
  }
}
