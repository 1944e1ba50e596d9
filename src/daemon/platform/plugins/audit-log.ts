import type { Logger } from 'pino'
import { type AuditEvent, auditEvent } from '../../../contract/platform/plugins.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { clip } from '../../../lib/text/clip.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import {
  appendWholeLines,
  mendEvents,
  previousEvents,
  rotateEvents,
} from '../../../store/files/event-file.js'
import { linesFromEnd } from '../../../store/files/line-file.js'

/** What happened, as whoever saw it says it; id and time are given to it here. */
export interface Happened {
  event: string
  pluginId: string
  result: 'ok' | 'denied' | 'failed'
  /** What it came from: `daemon`, `api`, `exec`, ... */
  source: string
  /** Names, counts and reasons; no value of a secret. What looks like a credential is taken out all the same. */
  data?: Readonly<Record<string, unknown>>
}

export interface AuditFilter {
  pluginId?: string | undefined
  /** Exactly this one. */
  event?: string | undefined
  since?: string | undefined
  until?: string | undefined
  limit: number
}

export interface AuditLog {
  /** Writes an event soon; never throws, and nobody waits for it. */
  append(happened: Happened): void
  /** Newest first; what was appended before is among them. */
  read(filter: AuditFilter): Promise<AuditEvent[]>
  /** Resolves when what was appended so far is on the disk, or could not be written. */
  written(): Promise<void>
}

export interface AuditLogOptions {
  file: string
  clock: () => Date
  newId: () => string
  log: Logger
  maxBytes?: number
}

/** The file before is kept as well, so that both take twice as much at most. */
const defaultMaxBytes = 4 * 1024 * 1024
const maxLineBytes = 16 * 1024
/** Events that wait for a slow disk; further ones are lost and counted. */
const maxWaiting = 1000

/** The log of what happened to plugins, a line of JSON an event (plugins.md 5). */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { file, clock, newId, log, maxBytes = defaultMaxBytes } = options
  const waiting: string[] = []
  const state = { writing: Promise.resolve(), mended: false, lost: 0 }

  const mend = async (): Promise<void> => {
    if (state.mended) return
    const suffix = `broken-${clock().toISOString().replace(/\W/gu, '')}`
    const aside = await mendEvents(file, suffix, line => eventIn(line) !== undefined)
    state.mended = true
    if (aside) log.warn({ aside }, 'the audit log of plugins could not be read and was set aside')
  }
  const write = async (): Promise<void> => {
    const lines = waiting.splice(0)
    if (lines.length === 0) return
    try {
      await mend()
      await rotateEvents(file, maxBytes)
      await appendWholeLines(file, lines)
    } catch (error) {
      state.lost += lines.length
      log.warn({ err: error, lost: state.lost }, 'events of plugins not written to the audit log')
    }
  }
  return {
    append: happened => {
      const line = lineOf(happened, { id: newId(), timestamp: clock().toISOString() })
      if (waiting.length >= maxWaiting) {
        state.lost++
        return
      }
      waiting.push(line)
      state.writing = state.writing.then(write)
    },
    read: async filter => {
      await state.writing
      await mend()
      return find([file, previousEvents(file)], filter, maxBytes + maxWaiting * maxLineBytes)
    },
    written: () => state.writing,
  }
}

function lineOf({ event, pluginId, result, source, data = {} }: Happened, stamp: object): string {
  const fields = { ...stamp, event, pluginId, result, source }
  const line = JSON.stringify({ ...fields, data: redact(data) })
  if (Buffer.byteLength(line) <= maxLineBytes) return line
  return JSON.stringify({ ...fields, data: { leftOut: 'more than a line of the log holds' } })
}

/** Reads no more of a file than its writer lets it grow to, in pieces from its end. */
async function find(files: readonly string[], filter: AuditFilter, maxBytes: number): Promise<AuditEvent[]> {
  const breathe = everyFewMs()
  const found = new Map<string, AuditEvent>()
  for (const file of files)
    for await (const line of linesFromEnd(file, { maxBytes, maxLineBytes })) {
      if (found.size >= filter.limit) return [...found.values()]
      const event = eventIn(line)
      // A file that is put aside while it is read is met twice.
      if (event && isWanted(event, filter) && !found.has(event.id))
        found.set(event.id, { ...event, data: redact(event.data) })
      const pause = breathe()
      if (pause) await pause
    }
  return [...found.values()]
}

function isWanted({ pluginId, event, timestamp }: AuditEvent, filter: AuditFilter): boolean {
  if (filter.pluginId !== undefined && pluginId !== filter.pluginId) return false
  if (filter.event !== undefined && event !== filter.event) return false
  if (filter.since !== undefined && timestamp < filter.since) return false
  return filter.until === undefined || timestamp <= filter.until
}

/** Undefined for a line that a kill cut off, or that somebody else wrote. */
function eventIn(line: string): AuditEvent | undefined {
  return auditEvent.safeParse(jsonOf(line)).data
}

/** Names of fields whose values nobody but their owner may read. */
const sensitive =
  /secret|token|passw|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|session|credential/iu

const redacted = '[REDACTED]'

const maxDepth = 6

const maxMembers = 50

const maxText = 1000

const maxLookedAt = 20_000

/**
 * A copy that holds no credential: neither below a key that names one, nor as a text that looks like one. It is small,
 * whatever came.
 */
function redact(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactObject(data, 0)
}

function redactObject(value: object, depth: number): Record<string, unknown> {
  const members = Object.entries(value).slice(0, maxMembers)
  return Object.fromEntries(
    members.map(([key, member]) => [
      redactText(key),
      sensitive.test(key) && member !== null ? redacted : redactValue(member, depth + 1),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[too deep]'
  if (Array.isArray(value)) return value.slice(0, maxMembers).map(member => redactValue(member, depth + 1))
  return redactObject(value, depth)
}

/** A text without what looks like a credential, cut to what a line of the log holds. */
function redactText(text: string): string {
  // Cut before it is looked at, half a credential would stay.
  return text.length > maxLookedAt ? '[too long]' : clip(withoutSecrets(text), maxText)
}
