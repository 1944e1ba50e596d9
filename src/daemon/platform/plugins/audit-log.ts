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

/** An audit event as reported; id and time are added here. */
export interface PluginEvent {
  event: string
  pluginId: string
  result: 'ok' | 'denied' | 'failed'
  /** Its origin: `daemon`, `api`, `exec`, ... */
  source: string
  /**
   * Names, counts and reasons, never a secret's value. Anything that looks like a credential is redacted
   * anyway.
   */
  data?: Readonly<Record<string, unknown>>
}

export interface AuditFilter {
  pluginId?: string | undefined
  /** Exact event name. */
  event?: string | undefined
  since?: string | undefined
  until?: string | undefined
  limit: number
}

export interface AuditLog {
  /** Queues an event for writing; never throws. */
  append(happened: PluginEvent): void
  /** Newest first, including everything appended before. */
  read(filter: AuditFilter): Promise<AuditEvent[]>
  /** Resolves when everything appended so far is on disk, or could not be written. */
  written(): Promise<void>
}

export interface AuditLogOptions {
  file: string
  clock: () => Date
  newId: () => string
  log: Logger
  maxBytes?: number
}

/** One previous file is kept too, so both take at most twice this size. */
const defaultMaxBytes = 4 * 1024 * 1024
const maxLineBytes = 16 * 1024
/** Events waiting for a slow disk; further ones are lost and counted. */
const maxWaiting = 1000

/** The audit log of plugins, one JSON line per event (plugins.md 5). */
export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { file, clock, newId, log, maxBytes = defaultMaxBytes } = options
  const waiting: string[] = []
  const state = { writing: Promise.resolve(), mended: false, lost: 0 }

  const mend = async (): Promise<void> => {
    if (state.mended) return
    const suffix = `broken-${clock().toISOString().replace(/\W/gu, '')}`
    const aside = await mendEvents(file, suffix, line => eventIn(line) !== undefined)
    state.mended = true
    if (aside) log.warn({ aside }, 'damaged plugin audit log set aside')
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
      log.warn({ err: error, lost: state.lost }, 'plugin events not written to the audit log')
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

function lineOf({ event, pluginId, result, source, data = {} }: PluginEvent, stamp: object): string {
  const fields = { ...stamp, event, pluginId, result, source }
  const line = JSON.stringify({ ...fields, data: redact(data) })
  if (Buffer.byteLength(line) <= maxLineBytes) return line
  return JSON.stringify({ ...fields, data: { leftOut: 'too long for one log line' } })
}

/** Reads at most the file's size limit, in chunks from its end. */
async function find(files: readonly string[], filter: AuditFilter, maxBytes: number): Promise<AuditEvent[]> {
  const breathe = everyFewMs()
  const found = new Map<string, AuditEvent>()
  for (const file of files)
    for await (const line of linesFromEnd(file, { maxBytes, maxLineBytes })) {
      if (found.size >= filter.limit) return [...found.values()]
      const event = eventIn(line)
      // A file that is rotated during the read is read twice.
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

/** Undefined for a line that was truncated by a kill, or written by another program. */
function eventIn(line: string): AuditEvent | undefined {
  return auditEvent.safeParse(jsonOf(line)).data
}

/** Names of fields with confidential values. */
const sensitive =
  /secret|token|passw|passphrase|pwd|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|session|credential/iu

const redacted = '[REDACTED]'

const maxDepth = 6

const maxMembers = 50

const maxText = 1000

const maxLookedAt = 20_000

/**
 * A small copy without credentials: neither under a key that names one, nor in a text that looks like one.
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

/** Removes credentials from a text and shortens it. */
function redactText(text: string): string {
  // Text is searched before it is cut: half a credential would not be recognised.
  return text.length > maxLookedAt ? '[too long]' : clip(withoutSecrets(text), maxText)
}
