import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Logger } from 'pino'
import { lastCompaction } from '../capture/readers/last-compaction.js'
import { formatOf, readTranscript } from '../capture/readers/read-transcript.js'
import type { TranscriptMessage } from '../capture/transcript-message.js'
import type { NativeEvent } from './native-event.js'

/** A turn as hooks of the API take it. */
export type InlineTurn = Pick<TranscriptMessage, 'role' | 'text'>

/** What harnesses write about a session themselves, for hooks that do not carry it. */
export interface SessionFiles {
  /** The summary that the last compaction left in the session's file. */
  lastSummary(event: NativeEvent): Promise<string | undefined>
  /**
   * The conversation so far, with the answer that the file does not hold yet. Undefined when it cannot be read, or
   * little came since it was read last: all readings of a session together cost a fixed multiple of its file.
   */
  conversation(event: NativeEvent): Promise<InlineTurn[] | undefined>
}

/** Longer conversations are captured at their end only: hooks carry at most 10 MiB. */
const maxConversation = 4 * 1024 * 1024
const maxFileBytes = 64 * 1024 * 1024
/** A file is read again when it has grown by so much and by a twentieth. */
const minGrowthBytes = 16 * 1024
const minGrowth = 0.05
const headBytes = 64 * 1024
const maxRemembered = 1000

interface File {
  path: string
  bytes: number
}

export function createSessionFiles(log: Pick<Logger, 'info'>): SessionFiles {
  /** Size of each session's file when it was read last, oldest reading first. */
  const readBytes = new Map<string, number>()
  const isDue = (key: string, bytes: number): boolean => {
    const before = readBytes.get(key) ?? 0
    // A smaller file is another one.
    const isNews =
      before === 0 || bytes < before || bytes - before >= Math.max(minGrowthBytes, before * minGrowth)
    if (!isNews) return false
    readBytes.delete(key)
    readBytes.set(key, bytes)
    for (const oldest of readBytes.keys()) {
      if (readBytes.size <= maxRemembered) break
      readBytes.delete(oldest)
    }
    return true
  }
  return {
    lastSummary: async event => {
      const file = await ownFile(event)
      return file && (await lastCompaction(file.path))?.summary
    },
    conversation: async event => {
      const file = await ownFile(event)
      if (!file || file.bytes > maxFileBytes || !(await isTranscript(file.path))) return undefined
      if (!isDue(event.sessionKey, file.bytes)) return undefined
      const turns = await readTurns(file.path)
      if (!turns) log.info({ bytes: file.bytes }, 'conversation too long for a checkpoint')
      return turns && withLastAnswer(turns, event.lastAssistantMessage)
    },
  }
}

/** A caller names the path, so it must look like what a harness writes: a JSON file with the session in its name. */
async function ownFile({ transcriptPath = '', sessionKey }: NativeEvent): Promise<File | undefined> {
  const start = sessionKey.slice(0, 8)
  const name = transcriptPath.split(/[\\/]/u).at(-1) ?? ''
  if (start.length < 8 || !name.includes(start) || !/\.jsonl?$/u.test(name)) return undefined
  const found = await stat(transcriptPath).catch(() => undefined)
  return found?.isFile() ? { path: transcriptPath, bytes: found.size } : undefined
}

/** Any other text would be taken for a conversation of its own kind. */
async function isTranscript(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return formatOf(buffer.toString('utf8', 0, bytesRead)) !== 'plain'
  } finally {
    await file.close()
  }
}

/** @returns undefined for a conversation that is too long. */
async function readTurns(path: string): Promise<InlineTurn[] | undefined> {
  const turns: InlineTurn[] = []
  let length = 0
  for await (const { role, text } of readTranscript(createReadStream(path, 'utf8'))) {
    length += text.length
    if (length > maxConversation) return undefined
    turns.push({ role, text })
  }
  return turns
}

/** The file lags behind: the answer that has just come may be missing. */
function withLastAnswer(turns: InlineTurn[], answer = ''): InlineTurn[] {
  const last = turns.findLast(({ role }) => role === 'assistant')
  if (answer.trim() === '' || last?.text.trim() === answer.trim()) return turns
  return [...turns, { role: 'assistant', text: answer }]
}
