import { z } from 'zod'
import { endpoint, eventStream } from '../ground/endpoint.js'
import { clampedQueryInt, timestamp } from '../ground/fields.js'

/** In ascending order of severity. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

const entry = z.object({
  level: z.enum(logLevels),
  /** The domain of the daemon that logged it. */
  category: z.string(),
  message: z.string(),
  at: z.string(),
})
export type LogEntry = z.infer<typeof entry>

const filter = {
  /** This level and those above it. */
  level: z.enum(logLevels).optional(),
  category: z.string().min(1).max(100).optional(),
}
const reading = { permission: 'analytics', mutates: false } as const

export const listLogs = endpoint({
  method: 'GET',
  path: '/api/logs',
  aliases: ['/api/analytics/logs'],
  summary: 'List recent log entries, oldest first',
  ...reading,
  query: z.object({
    ...filter,
    limit: clampedQueryInt({ min: 1, max: 2000 }).default(100),
    since: timestamp.optional(),
  }),
  response: z.object({ logs: z.array(entry), count: z.int() }),
})

/**
 * Events of the stream: `connected` first, then each entry; `dropped` precedes an entry if the reader was too
 * slow (telemetry.md 1).
 */
export const logEvent = z.union([
  z.object({ type: z.literal('connected') }),
  z.object({ type: z.literal('dropped'), count: z.int() }),
  entry,
])
export type LogEvent = z.infer<typeof logEvent>

export const streamLogs = endpoint({
  method: 'GET',
  path: '/api/logs/stream',
  summary: 'Follow the log live (server-sent events)',
  ...reading,
  query: z.object(filter),
  response: logEvent,
  contentType: eventStream,
})
