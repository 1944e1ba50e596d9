import { appendFile, mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sizeOf } from './line-file.js'

/** Adds one event as a line of JSON to a file for its owner alone. It may be lost in a power cut. */
export async function appendEvent(file: string, event: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await appendFile(file, `${JSON.stringify(event)}\n`, { mode: 0o600 })
}

/** Puts a file that has become too large aside; the one that was put aside before goes. @returns whether it was. */
export async function rotateEvents(file: string, maxBytes: number): Promise<boolean> {
  if ((await sizeOf(file)) <= maxBytes) return false
  await rename(file, `${file}.1`)
  return true
}
