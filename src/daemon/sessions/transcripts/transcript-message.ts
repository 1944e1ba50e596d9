import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LeftOutKind } from '../../../contract/sessions/transcripts.js'
import type { CaptureRow } from '../../../store/tables/sessions/transcript-captures.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

export const transcriptRoles = ['user', 'assistant', 'unknown'] as const
/** Speakers of a conversation; tools and systems are not included. */
export type TranscriptRole = (typeof transcriptRoles)[number]

/** A captured message; imports also contain messages of tools and systems. */
export interface CapturedMessage {
  role: string
  text: string
  /** ISO time; null when the harness recorded none. */
  at: string | null
}

/** One turn of a conversation with its unchanged text. */
export interface TranscriptMessage extends CapturedMessage {
  role: TranscriptRole
}

const maxSegmentLength = 64
/** Names that some systems reserve for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u

/**
 * The file with the messages of a harness's sessions (rules.md 4.10): one JSON line per message, in the order
 * of capture. Lines of a session with a higher `capture` that start again at position 0 replace earlier ones.
 */
export function recordFile({ paths }: Pick<Daemon, 'paths'>, harness: string): string {
  return recordIn(paths, pathSegment(harness))
}

/** Paths of the records of all harnesses, one in each folder of `memory/`; they may not exist. */
export async function recordFiles({ paths }: Pick<Daemon, 'paths'>): Promise<string[]> {
  const entries = await readdir(paths.memoryDir, { withFileTypes: true })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => recordIn(paths, name))
}

function recordIn({ memoryDir }: Daemon['paths'], folder: string): string {
  return join(memoryDir, folder, 'transcripts', 'transcript.jsonl')
}

/** Returns a safe and unique folder name, since a harness may have any name. */
export function pathSegment(harness: string): string {
  const plain = harness
    .toLowerCase()
    .replace(/[^a-z0-9-]+/gu, '-')
    .replace(/^-+|-+$/gu, '')
    .slice(0, maxSegmentLength)
  if (plain === harness && plain !== '' && !reserved.test(plain)) return plain
  const hash = createHash('sha256').update(harness).digest('hex').slice(0, 8)
  return `${plain || 'harness'}-${hash}`
}

/** The lines of one capture. @param from position of the first message in its session. */
export function* recordLines(
  capture: CaptureRow,
  messages: readonly CapturedMessage[],
  from: number,
): Generator<string> {
  for (const [offset, { role, text, at }] of messages.entries())
    yield JSON.stringify({
      sessionKey: capture.session_key,
      agentId: capture.agent_id,
      harness: capture.harness,
      project: capture.project,
      capturedAt: capture.captured_at,
      capture: capture.id,
      position: from + offset,
      role,
      at,
      text,
    })
}

/** True for a message of a speaker, not of a tool or system. */
export function isTurn({ role }: Pick<CapturedMessage, 'role'>): boolean {
  return (transcriptRoles as readonly string[]).includes(role)
}

const speakers: Readonly<Record<string, TranscriptRole>> = {
  __proto__: null as never,
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  gemini: 'assistant',
}
const silent = new Set(['system', 'developer', 'tool', 'toolresult', 'function', 'info', 'error', 'warning'])

/** @returns undefined for roles outside the conversation: tools, systems, notices. */
export function roleOf(word: unknown): TranscriptRole | undefined {
  if (typeof word !== 'string') return 'unknown'
  const known = word.trim().toLowerCase()
  return silent.has(known) ? undefined : (speakers[known] ?? 'unknown')
}

/** True for a word that names a speaker. */
export function isSpeaker(word: unknown): word is string {
  return typeof word === 'string' && word in speakers
}

/** Converts a harness's time, text or milliseconds, to ISO form. */
export function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Counts of what a reader left out, by kind. */
export type LeftOut = Partial<Record<LeftOutKind, number>>

/** Adds to the counts of what was left out. */
export function leaveOut(counts: LeftOut, kind: LeftOutKind, count = 1): void {
  counts[kind] = (counts[kind] ?? 0) + count
}

/** Adds counts to counts. */
export function addLeftOut(counts: LeftOut, more: LeftOut = {}): void {
  for (const [kind, count] of Object.entries(more)) leaveOut(counts, kind as LeftOutKind, count)
}

/**
 * The text of a message's content: a string, a part, or the text parts of a list.
 * @param leftOut counts parts of an unknown kind.
 */
export function textOf(content: unknown, leftOut: LeftOut = {}): string {
  if (Array.isArray(content)) return content.flatMap(part => textOfPart(part, leftOut)).join('\n\n')
  return content === undefined || content === null ? '' : textOfPart(content, leftOut).join('')
}

const textParts = new Set([undefined, 'text', 'input_text', 'output_text'])
/** Kinds of parts that are not said: tools, thinking, pictures and files, marks of a step. */
const silentParts =
  /tool|function|thinking|reasoning|image|audio|video|media|file|document|step|snapshot|patch|agent|retry|compaction|citation/iu
/** Fields of parts without a type that are not said either. */
const silentFields = [
  'thought',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
]

function textOfPart(part: unknown, leftOut: LeftOut): string[] {
  if (typeof part === 'string') return [part]
  if (typeof part === 'number' || typeof part === 'boolean') return [String(part)]
  const { type, text, thought } = (part ?? {}) as { type?: unknown; text?: unknown; thought?: unknown }
  if (typeof text === 'string' && thought !== true && textParts.has(type as undefined)) return [text]
  const isSilent =
    typeof type === 'string' ? silentParts.test(type) : silentFields.some(field => field in Object(part))
  if (!isSilent) leaveOut(leftOut, 'odd_parts')
  return []
}
