import { access, appendFile, chmod, constants, mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appendLines, sizeOf } from './line-file.js'
import { linesFromEnd } from './lines-from-end.js'

/** An event as it is written: its name, when it was (ISO 8601), and its properties as JSON. */
interface WrittenEvent {
  event: string
  at: string
  properties: string
}

/** Adds events as lines of JSON to a file for its owner alone. They may be lost in a power cut. */
export async function appendEvents(file: string, events: readonly WrittenEvent[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await appendFile(file, events.map(lineOf).join(''), { mode: 0o600 })
}

/** Properties are JSON already: to write them once more would cost as much as the rest of a line. */
function lineOf({ event, at, properties }: WrittenEvent): string {
  return `{"event":${JSON.stringify(event)},"properties":${properties},"timestamp":${JSON.stringify(at)}}\n`
}

/** Why events can't be added to a file: the code of the fault. Nothing is written or made for it. */
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

/** Puts a file that has become too large aside; the one that was put aside before goes. @returns whether it was. */
export async function rotateEvents(file: string, maxBytes: number): Promise<boolean> {
  if ((await sizeOf(file)) <= maxBytes) return false
  await rename(file, previousEvents(file))
  return true
}

/** Where `rotateEvents` puts a file. */
export function previousEvents(file: string): string {
  return `${file}.1`
}

/**
 * Adds lines behind whatever the file ends in: a line that a kill cut off stays a line of its own. They are on the disk
 * when this resolves.
 */
export async function appendWholeLines(file: string, lines: readonly string[]): Promise<void> {
  await appendLines(file, (await endsInLine(file)) ? lines : ['', ...lines])
}

/**
 * Makes sure that a file of events is one, for its owner alone: what is none, or holds finished lines of which the last
 * 64 KiB make no sense, is renamed.
 * @param makesSense of one line.
 * @returns its new name where it was renamed.
 */
export async function mendEvents(
  file: string,
  suffix: string,
  makesSense: (line: string) => boolean,
): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (!found) return undefined
  if (found.isFile() && (await holdsSense(file, makesSense))) {
    await chmod(file, 0o600)
    return undefined
  }
  const aside = `${file}.${suffix}`
  await rename(file, aside)
  return aside
}

async function holdsSense(file: string, makesSense: (line: string) => boolean): Promise<boolean> {
  const bytes = 64 * 1024
  let lines = 0
  for await (const line of linesFromEnd(file, { maxBytes: bytes, maxLineBytes: bytes })) {
    if (makesSense(line)) return true
    lines++
  }
  // One that a kill cut off is no fault.
  return lines === 0 || (lines === 1 && !(await endsInLine(file)))
}

/** Whether the next line begins where the file ends. */
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
