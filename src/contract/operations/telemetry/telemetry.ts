import { z } from 'zod'
import { endpoint, linesContentType } from '../../ground/endpoint.js'
import { clampedAnyInt, timestamp } from '../../ground/fields.js'

const reading = { permission: 'analytics', mutates: false } as const

const telemetryEvent = z.object({
  event: z.string(),
  /** Counts, durations and fixed words. */
  properties: z.record(z.string(), z.unknown()),
  timestamp: z.string(),
})
export type StoredEvent = z.infer<typeof telemetryEvent>

export const telemetryEvents = endpoint({
  method: 'GET',
  path: '/api/telemetry/events',
  summary: 'List the newest recorded events, oldest first',
  ...reading,
  query: z.object({
    event: z.string().min(1).max(100).optional(),
    since: timestamp.optional(),
    until: timestamp.optional(),
    limit: clampedAnyInt({ min: 1, max: 10_000 }).default(100),
  }),
  response: z.object({ events: z.array(telemetryEvent), enabled: z.boolean() }),
})

const count = z.int()
const seconds = z.number().nullable()

/** Ages in seconds, null when never observed. */
export const telemetryHealth = endpoint({
  method: 'GET',
  path: '/api/telemetry/health',
  summary: 'Get whether events are recorded and sent',
  ...reading,
  response: z.object({
    enabled: z.boolean(),
    status: z.enum(['local-only', 'healthy', 'degraded']),
    deliveryConfigured: z.boolean(),
    bufferedEventCount: count,
    queuedUnsentEventCount: count,
    oldestUnsentEventAgeSec: seconds,
    lastDaemonEventAgeSec: seconds,
    lastSuccessfulDeliveryAgeSec: seconds,
    recentDeliverySuccessCount: count,
    recentDeliveryFailureCount: count,
    consecutiveFailures: count,
    backoffActive: z.boolean(),
    droppedEventCount: count,
    flushIntervalMs: count,
  }),
})

export const exportTelemetry = endpoint({
  method: 'GET',
  path: '/api/telemetry/export',
  summary: 'Export the newest events as JSON Lines, oldest first; 404 while telemetry is off',
  ...reading,
  query: z.object({
    since: timestamp.optional(),
    limit: clampedAnyInt({ min: 1, max: 100_000 }).default(10_000),
  }),
  response: telemetryEvent,
  contentType: linesContentType,
})

/** Destination of events (telemetry.md 8); none by default. */
export const telemetryDeliverySettings = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine(
      address => URL.canParse(address) && !new URL(address).username && !new URL(address).password,
      'must not contain a user name or password',
    )
    .optional(),
  /** Events recorded in this interval are sent together. */
  intervalMs: z.int().min(100).max(86_400_000).default(60_000),
})
