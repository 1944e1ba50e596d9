import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { Colors } from '../../terminal/output.js'

const levels: Readonly<Record<number, { name: string; color: 'dim' | 'green' | 'yellow' | 'red' }>> = {
  10: { name: 'trace', color: 'dim' },
  20: { name: 'debug', color: 'dim' },
  30: { name: 'info', color: 'green' },
  40: { name: 'warn', color: 'yellow' },
  50: { name: 'error', color: 'red' },
  60: { name: 'fatal', color: 'red' },
}

const followMs = 200
const blockBytes = 64 * 1024
const newline = 10

/** The last lines of a text file, oldest first. @throws node's ENOENT when it does not exist. */
export async function lastLines(file: string, count: number): Promise<{ lines: string[]; end: number }> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const blocks: Buffer[] = []
    let start = size
    for (let newlines = 0; start > 0 && newlines <= count; ) {
      const length = Math.min(blockBytes, start)
      start -= length
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, start)
      blocks.unshift(buffer)
      newlines += buffer.reduce((sum, byte) => (byte === newline ? sum + 1 : sum), 0)
    }
    const lines = Buffer.concat(blocks).toString('utf8').split('\n').filter(Boolean)
    return { lines: lines.slice(Math.max(0, lines.length - count)), end: size }
  } finally {
    await handle.close()
  }
}

/** Lines that are added to a file after `offset`, until the signal aborts; goes on with the new file after a rotation. */
export async function* follow(file: string, offset: number, signal: AbortSignal): AsyncGenerator<string> {
  const place = { offset, inode: await inodeOf(file), rest: Buffer.alloc(0) }
  while (!signal.aborted) {
    const inode = await inodeOf(file)
    if (inode !== undefined && inode !== place.inode) Object.assign(place, { inode, offset: 0 })
    const added = inode === undefined ? Buffer.alloc(0) : await readFrom(file, place.offset)
    place.offset += added.length
    const bytes = Buffer.concat([place.rest, added])
    const end = bytes.lastIndexOf('\n') + 1
    place.rest = bytes.subarray(end)
    yield* bytes.subarray(0, end).toString('utf8').split('\n').filter(Boolean)
    if (added.length === 0) await sleep(followMs, undefined, { signal }).catch(() => undefined)
  }
}

async function inodeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ ino }) => ino,
    () => undefined,
  )
}

async function readFrom(file: string, offset: number): Promise<Buffer> {
  // Gone for a moment while it is rotated.
  const handle = await open(file).catch(() => undefined)
  if (!handle) return Buffer.alloc(0)
  try {
    const { size } = await handle.stat()
    if (size <= offset) return Buffer.alloc(0)
    const length = Math.min(size - offset, 16 * blockBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** A line of the daemon's JSON log for a person: time, level, message, the other fields. Other text stays as it is. */
export function formatLogLine(line: string, colors: Colors): string {
  const entry = parse(line)
  if (!entry) return line
  const { level, time, pid: _pid, msg, err, ...fields } = entry
  const { name, color } = levels[Number(level)] ?? { name: String(level), color: 'dim' }
  const error = (err as { message?: unknown; stack?: unknown } | undefined) ?? {}
  const rest = Object.entries(fields).map(([key, value]) => colors.dim(`${key}=${compact(value)}`))
  const main = [colors.dim(String(time)), colors[color](name.padEnd(5)), String(msg ?? ''), ...rest].join(' ')
  const detail = error.stack ?? error.message
  return detail === undefined ? main : `${main}\n${colors.dim(String(detail))}`
}

function parse(line: string): Record<string, unknown> | undefined {
  const value = jsonOf(line)
  return typeof value === 'object' && value !== null && 'level' in value
    ? (value as Record<string, unknown>)
    : undefined
}

function compact(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
