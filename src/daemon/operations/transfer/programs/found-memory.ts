import { createHash } from 'node:crypto'
import type { memoryTypes } from '../../../../contract/ground/wire-names.js'
import type { MemoryProgram } from '../../../../contract/knowledge/import-adapters.js'
import type { TransferLineInput } from '../../../../contract/operations/transfer.js'
import { typeOfNote } from '../../../ground/reading/layout/note-type.js'
import { noCut, withoutPrivate, withoutPrivateTexts } from '../../../ground/text/private-spans.js'
import { layoutOf } from '../../../memory/records/layout.js'
import { inferType, storageContent } from '../../../memory/records/normalise-content.js'

export type MemoryType = (typeof memoryTypes)[number]

/** A memory as another program has it. */
export interface FoundMemory {
  /** Names it in the program, the same in each import. */
  key: string
  content: string
  /** The program's word for its kind. */
  what: string
  type: MemoryType
  /** A folder, or a name. */
  project?: string | undefined
  tags?: readonly string[]
  hints?: readonly string[]
  importance?: number
  confidence?: number | undefined
  /** Any time that the program writes; one that cannot be read counts as none. */
  createdAt?: unknown
  updatedAt?: unknown
  validFrom?: unknown
  validUntil?: unknown
  sessionId?: string | undefined
  /** Everything else that is worth keeping, as evidence. */
  structured?: Record<string, unknown>
}

/** Something of the program that does not become a memory. */
export interface LeftOut {
  leftOut: string
  count?: number
}

export type FoundItem = FoundMemory | LeftOut

/** One file or database of a program, with what it has. */
export interface FoundFile {
  path: string
  /** For memories without a time of their own. */
  changedAt: Date
  found: Iterable<FoundItem> | AsyncIterable<FoundItem>
}

type MemoryLine = Extract<TransferLineInput, { kind: 'memory' }>
type EventLine = Extract<TransferLineInput, { kind: 'event' }>

/** Files of a program may be large; a longer text is left out. */
const longestContent = 1024 * 1024
const longestHint = 2000
const mostHints = 50
const mostTags = 50
const longestTag = 100

/** The type of a text that its program gave none: what a save of it gets (rules.md 1.2). */
export function typeOfText(text: string): MemoryType {
  const stored = storageContent(text)
  return typeOfNote(stored) ?? inferType(stored)
}

/** Marks memories of an import in `source_type`. */
export const sourceTypeOf = (from: MemoryProgram): string => `import:${from}`

/** The reason in the history of an imported memory. */
export const importReason = (from: MemoryProgram): string => `imported from ${from}`

export interface LineOptions {
  from: MemoryProgram
  file: Pick<FoundFile, 'path' | 'changedAt'>
  agent: string
  actor: string
  actorType: string
  /** Key of the project, or null. */
  project: string | null
  now: Date
}

/** Returns the lines of an export for a found memory, or why it is none. */
export async function linesOf(
  found: FoundMemory,
  { from, file, agent, actor, actorType, project, now }: LineOptions,
): Promise<[MemoryLine, EventLine] | LeftOut> {
  const cut = noCut()
  const text = withoutPrivate(found.content, cut)
  const content = storageContent(text)
  if (content === '') return { leftOut: cut.parts > 0 ? 'private' : 'empty' }
  if (text.length > longestContent) return { leftOut: 'longer than a million characters' }
  const id = idOf(from, found.key)
  const createdAt = timeOf(found.createdAt) ?? file.changedAt.toISOString()
  const [validFrom, validUntil] = [timeOf(found.validFrom), timeOf(found.validUntil)]
  const structured = withoutPrivateTexts(found.structured ?? {}, cut)
  const memory: MemoryLine = {
    kind: 'memory',
    id,
    content,
    layout: await layoutOf(text, 0, () => undefined),
    type: found.type,
    importance: Math.min(1, Math.max(0, found.importance ?? 0.6)),
    confidence: found.confidence === undefined ? null : Math.min(1, Math.max(0, found.confidence)),
    tags: tagsOf(found.tags ?? []),
    hints: hintsOf(found.hints ?? [], content),
    who: from,
    source_type: sourceTypeOf(from),
    source_id: found.key.length <= 1000 ? found.key : id,
    source_path: file.path.slice(0, 4096),
    project,
    session_id: found.sessionId?.trim().slice(0, 255) || null,
    agent_id: agent,
    created_at: createdAt,
    updated_at: timeOf(found.updatedAt) ?? createdAt,
    source_created_at: timeOf(found.createdAt) ?? null,
    valid_from: validFrom ?? null,
    valid_until: validUntil && (!validFrom || validUntil > validFrom) ? validUntil : null,
    structured: Object.keys(structured).length > 0 ? structured : null,
  }
  const event: EventLine = {
    kind: 'event',
    id: idOf(from, `${found.key}\0created`),
    memoryId: id,
    event: 'created',
    oldContent: null,
    changedBy: actor,
    actorType,
    reason: importReason(from),
    createdAt: now.toISOString(),
  }
  return [memory, event]
}

/** The id of a program's memory, a UUID of version 8, so that a second import knows it. */
export function idOf(from: MemoryProgram, key: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([from, key]))
    .digest()
    .subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A key for a text that has no name in its program. */
export function keyByText(...parts: readonly (string | undefined)[]): string {
  const normalized = parts.map(part => storageContent(part ?? '').toLowerCase())
  return createHash('sha256').update(JSON.stringify(normalized)).digest('hex')
}

/** Returns a text without spaces around it; an empty one for any other value. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns the texts of a list; none of any other value. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textIn).filter(Boolean) : []
}

/** Seconds since the epoch are below this until the year 2286, milliseconds are above it since 1970. */
const secondsBelow = 10_000_000_000
const longestTime = 60

/** Returns a time in ISO 8601: of a text, or of seconds or milliseconds since the epoch. */
export function timeOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const number = typeof value === 'string' && /^\d{9,13}(?:\.\d{1,9})?$/u.test(value) ? Number(value) : value
  if (typeof number === 'bigint') return timeOf(Number(number))
  const at =
    typeof number === 'number'
      ? new Date(number < secondsBelow ? number * 1000 : number)
      : typeof number === 'string' && number.length <= longestTime
        ? new Date(withZone(number.trim()))
        : undefined
  if (!at || Number.isNaN(at.getTime())) return undefined
  const iso = at.toISOString()
  return /^\d{4}-/u.test(iso) ? iso : undefined
}

/** SQLite writes UTC without saying so. */
function withZone(text: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/u.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : text
}

function tagsOf(tags: readonly string[]): string[] {
  const clean = tags
    .flatMap(tag => tag.split(','))
    .map(tag => tag.trim().replace(/^#/u, '').slice(0, longestTag))
  return [...new Set(clean.filter(Boolean))].slice(0, mostTags)
}

function hintsOf(hints: readonly string[], content: string): string[] {
  const clean = hints.map(hint => storageContent(withoutPrivate(hint)).slice(0, longestHint).trim())
  return [...new Set(clean.filter(hint => hint !== '' && hint !== content))].slice(0, mostHints)
}
