import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DialectHarness } from '../../../contract/sessions/harness-names.js'
import { openForeign } from '../../../lib/files/open-foreign.js'
import { isRecord, jsonOf } from '../../../lib/text/json-of.js'
import { sessionFolders } from '../../../lib/workspace/harness-files.js'
import { withoutReminders } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { antigravityMessage, isAntigravityLine } from '../transcripts/readers/antigravity.js'
import { lastCompaction } from '../transcripts/readers/last-compaction.js'
import { formatOf, readTranscript } from '../transcripts/readers/read-transcript.js'
import { readFileSlices } from '../transcripts/readers/text-slices.js'
import { type TranscriptFile, transcriptFile } from '../transcripts/transcript-file.js'
import type { TranscriptMessage } from '../transcripts/transcript-message.js'
import type { NativeEvent } from './native-event.js'

/** Reads session files of harnesses, for hooks without the content. */
export interface SessionFiles {
  /**
   * Transcript path from the event; for Copilot CLI, whose last event has none, from an earlier event, and
   * for Kimi Code and Cline, whose events have none, from their folders.
   */
  pathOf(harness: DialectHarness, event: NativeEvent): string | undefined
  /** The summary of the last compaction in the session's file. */
  lastSummary(event: NativeEvent): Promise<string | undefined>
  /** The last prompt in the session's file, and the hash of its line as the name of the event. */
  lastPrompt(event: NativeEvent): Promise<Pick<NativeEvent, 'prompt' | 'occurrence'> | undefined>
  /**
   * The conversation so far, with the last answer when the file lacks it. Undefined when the file can't be
   * read or has grown little since the last read, so that all reads together cost a fixed multiple of the
   * file. `over` when the session ended during the read: a checkpoint would reopen it.
   * @param hasEnd false for a program without an event of the end, whose small files are read each time
   */
  conversation(event: NativeEvent, hasEnd?: boolean): Promise<TranscriptMessage[] | undefined | 'over'>
  /**
   * The conversation of an event that has it, or the last one of its session: events at the end have none.
   * It is lost with the daemon.
   */
  passed(event: NativeEvent): readonly TranscriptMessage[] | undefined
  /** Call it when a session ends: a running read of its conversation then returns `over`. */
  ended(event: NativeEvent): void
}

/**
 * Longer conversations are captured only at their end, since a checkpoint builds the whole body in memory.
 */
const maxConversation = 2 * 1024 * 1024
const maxFileBytes = 64 * 1024 * 1024
/** A file is read again after growing by this much and by a twentieth. */
const minGrowthBytes = 16 * 1024
const minGrowth = 0.05
const headBytes = 64 * 1024
const tailBytes = 256 * 1024
const maxRemembered = 1000
/** Conversations of this many sessions are kept until their end. */
const maxPassed = 20
/** File that Copilot CLI writes in a session's folder. */
const copilotLog = 'events.jsonl'
/** Logs in a folder that has the name of the session, the second of Grok Build. */
const folderLogs: ReadonlySet<string> = new Set([copilotLog, 'updates.jsonl'])
const folderName = /^[\w-]+$/u

type Deps = Pick<Daemon, 'log' | 'paths' | 'environment'>

export function createSessionFiles(deps: Deps): SessionFiles {
  /** Size of each session's file at the last read, oldest read first. */
  const readBytes = new Map<string, number>()
  /** Logs of Copilot CLI by session, oldest first. */
  const saidPaths = new Map<string, string>()
  /** Sessions whose conversations are being read; a session that ends is removed. */
  const reading = new Set<string>()
  /** Conversations that events had, by session, oldest first. */
  const passed = new Map<string, readonly TranscriptMessage[]>()
  const isDue = (key: string, bytes: number, minBytes: number): boolean => {
    const before = readBytes.get(key) ?? 0
    // A smaller file was restarted.
    const isNews = before === 0 || bytes < before || bytes - before >= Math.max(minBytes, before * minGrowth)
    if (!isNews) return false
    remember(readBytes, key, bytes)
    return true
  }
  return {
    pathOf: (harness, { sessionKey, transcriptPath }) => {
      if (!folderName.test(sessionKey)) return transcriptPath
      if (harness === 'kimi') return kimiLog(deps, sessionKey)
      if (harness === 'cline') return clineLog(deps, sessionKey)
      if (harness !== 'copilot') return transcriptPath
      if (transcriptPath !== undefined) remember(saidPaths, sessionKey, transcriptPath)
      const [folder = ''] = sessionFolders('copilot', deps.environment)
      return saidPaths.get(sessionKey) ?? join(folder, sessionKey, copilotLog)
    },
    lastSummary: async event => {
      const file = await ownFile(deps, event)
      return file && (await lastCompaction(file.path))?.summary
    },
    lastPrompt: async event => {
      const file = await ownFile(deps, event)
      return file && lastPromptIn(file)
    },
    conversation: async (event, hasEnd = true) => {
      const file = await ownFile(deps, event)
      if (!file || file.bytes > maxFileBytes || !(await isTranscript(file.path))) return undefined
      if (!isDue(event.sessionKey, file.bytes, hasEnd ? minGrowthBytes : 1)) return undefined
      reading.add(event.sessionKey)
      // A file deleted during the read counts as unreadable.
      const turns = await readTurns(file.path).catch(() => undefined)
      if (!reading.delete(event.sessionKey)) return 'over'
      if (!turns) deps.log.info({ bytes: file.bytes }, 'conversation not read for a checkpoint')
      return turns && withLastAnswer(turns, event.lastAssistantMessage)
    },
    passed: ({ sessionKey, said }) => {
      if (said && lengthOf(said) <= maxConversation) remember(passed, sessionKey, said, maxPassed)
      return said ?? passed.get(sessionKey)
    },
    ended: ({ sessionKey }) => {
      passed.delete(sessionKey)
      reading.delete(sessionKey)
      readBytes.delete(sessionKey)
      saidPaths.delete(sessionKey)
    },
  }
}

/** Kimi Code names no log; it has a folder for each working folder. */
function kimiLog({ environment }: Deps, sessionKey: string): string | undefined {
  const [folder = ''] = sessionFolders('kimi', environment)
  const groups = existsSync(folder) ? readdirSync(folder) : []
  return groups
    .map(group => join(folder, group, sessionKey, 'agents', 'main', 'wire.jsonl'))
    .find(file => existsSync(file))
}

function clineLog({ environment }: Deps, sessionKey: string): string {
  const [folder = ''] = sessionFolders('cline', environment)
  return join(folder, sessionKey, `${sessionKey}.messages.json`)
}

/** Keeps the newest entries. */
function remember<T>(known: Map<string, T>, key: string, value: T, max = maxRemembered): void {
  known.delete(key)
  known.set(key, value)
  for (const oldest of known.keys()) {
    if (known.size <= max) break
    known.delete(oldest)
  }
}

function lengthOf(said: readonly TranscriptMessage[]): number {
  return said.reduce((sum, { text }) => sum + text.length, 0)
}

/**
 * The caller names the path, so it must look like a harness file: JSON with the session in its name, or in
 * that of its folder.
 */
async function ownFile(
  deps: Deps,
  { transcriptPath = '', sessionKey }: NativeEvent,
): Promise<TranscriptFile | undefined> {
  const start = sessionKey.slice(0, 8)
  const [folder = '', name = ''] = transcriptPath.split(/[\\/]/u).slice(-2)
  const isNamed =
    name.includes(start) ||
    (folderLogs.has(name) && folder === sessionKey) ||
    // Antigravity and Kimi Code have it two folders below the one of the session.
    (/^(?:transcript|wire)\.jsonl$/u.test(name) && transcriptPath.split(/[\\/]/u).at(-4) === sessionKey)
  if (start.length < 8 || !isNamed || !/\.jsonl?$/u.test(name)) return undefined
  // A refused file is treated as missing, so the rest of the hook still works.
  return transcriptFile(deps, transcriptPath).catch(() => undefined)
}

/** Searches the end of a file, since prompts are asked for when they were just written. */
async function lastPromptIn({
  path,
  bytes,
}: TranscriptFile): Promise<Pick<NativeEvent, 'prompt' | 'occurrence'> | undefined> {
  const file = await openForeign(path)
  try {
    const start = Math.max(0, bytes - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, start)
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
    const line = lines.findLast(one => messageOfAntigravity(one)?.role === 'user')
    const prompt = line && messageOfAntigravity(line)?.text
    return prompt ? { prompt, occurrence: createHash('sha256').update(line).digest('hex') } : undefined
  } finally {
    await file.close()
  }
}

function messageOfAntigravity(line: string): TranscriptMessage | undefined {
  const value = jsonOf(line)
  return isRecord(value) && isAntigravityLine(value) ? antigravityMessage(value) : undefined
}

/** Any other text would be read as a plain conversation. */
async function isTranscript(path: string): Promise<boolean> {
  const file = await openForeign(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return formatOf(buffer.toString('utf8', 0, bytesRead)) !== 'plain'
  } finally {
    await file.close()
  }
}

/** @returns undefined for a conversation that is too long. */
async function readTurns(path: string): Promise<TranscriptMessage[] | undefined> {
  const turns: TranscriptMessage[] = []
  let length = 0
  for await (const turn of readTranscript(readFileSlices(path))) {
    length += turn.text.length
    if (length > maxConversation) return undefined
    turns.push(turn)
  }
  return turns
}

/** The file may not contain the latest answer yet. */
function withLastAnswer(turns: TranscriptMessage[], given = ''): TranscriptMessage[] {
  // The reader of the file removes them too.
  const answer = withoutReminders(given)
  const last = turns.findLast(({ role }) => role === 'assistant')
  if (answer.trim() === '' || last?.text.trim() === answer.trim()) return turns
  return [...turns, { role: 'assistant', text: answer, at: null }]
}
