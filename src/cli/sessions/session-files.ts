import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { LogAdapter } from '../../contract/knowledge/import-adapters.js'
import { openForeign } from '../../lib/files/open-foreign.js'
import { uuid } from '../../lib/text/uuid.js'

/** A session file of a harness. */
export interface SessionFile {
  path: string
  bytes: number
  sessionKey: string
  /** Harness that wrote it, if the beginning reveals it. */
  harness: LogAdapter | undefined
  /** Working folder, if the file contains it. */
  cwd: string | undefined
  /** ISO time of the last message. */
  endedAt: string
}

const headBytes = 256 * 1024
const tailBytes = 64 * 1024

/** File names of session logs; other files are internal to the session. */
const logNames: Readonly<Record<LogAdapter, RegExp>> = {
  'claude-code': /^(?!agent-).*\.jsonl$/u,
  codex: /^(?!agent-).*\.jsonl$/u,
  copilot: /^events\.jsonl$/u,
  gemini: /^session-.*\.jsonl?$/u,
}

/**
 * Returns the session files of a harness at a path, unsorted: all below a folder except those of sub-agents.
 * @throws the error of reading the given path; missing subfolders are skipped.
 */
export async function findSessionFiles(path: string, from: LogAdapter): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile() && logNames[from].test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => !/[\\/]subagents[\\/]/u.test(file.slice(path.length)))
}

/**
 * Describes a session from the beginning and end of its file; undefined for an empty file and a sub-agent's.
 */
export async function describeSessionFile(path: string): Promise<SessionFile | undefined> {
  const handle = await openForeign(path, { followLinks: true })
  try {
    const { size, mtimeMs } = await handle.stat()
    // A harness that was opened and closed at once leaves empty files.
    if (size === 0) return undefined
    const read = async (start: number, length: number): Promise<string> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start)
      return buffer.toString('utf8', 0, bytesRead)
    }
    const head = await read(0, Math.min(size, headBytes))
    if (/"source"\s*:\s*\{\s*"sub_?agent"/iu.test(head)) return undefined
    const tail = await read(Math.max(0, size - tailBytes), Math.min(size, tailBytes))
    const named = uuid.exec(basename(path))?.[0] ?? field(head, 'sessionId') ?? basename(path, '.jsonl')
    return {
      path,
      bytes: size,
      sessionKey: named,
      harness: writerOf(head),
      cwd: field(head, 'cwd'),
      endedAt: lastTime(tail) ?? new Date(mtimeMs).toISOString(),
    }
  } finally {
    await handle.close()
  }
}

function writerOf(head: string): LogAdapter | undefined {
  if (/"type"\s*:\s*"session_meta"/u.test(head)) return 'codex'
  if (/^\s*\{\s*"type"\s*:\s*"session\.start"/u.test(head)) return 'copilot'
  if (/"projectHash"\s*:/u.test(head)) return 'gemini'
  return /"sessionId"\s*:/u.test(head) ? 'claude-code' : undefined
}

/** Returns the first text of a field without parsing lines, which may be very long or incomplete. */
function field(text: string, name: string): string | undefined {
  const quotedText = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, 'u').exec(text)?.[1]
  return quotedText === undefined ? undefined : (JSON.parse(quotedText) as string)
}

function lastTime(text: string): string | undefined {
  const times = [...text.matchAll(/"timestamp"\s*:\s*"(\d{4}-[^"]{5,40})"/gu)].map(
    ([, time = '']) => new Date(time),
  )
  const last = times.findLast(time => !Number.isNaN(time.getTime()))
  return last?.toISOString()
}
