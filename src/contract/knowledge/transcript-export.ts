import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

/** A transcript as one line of an export, which the import adapter `service-export` reads. */
const exportedConversation = z.object({
  source: z.literal('service').optional(),
  version: z.literal(1).optional(),
  sessionKey: z.string(),
  harness: z.string().optional(),
  project: z.string().nullable().optional(),
  capturedAt: z.string().optional(),
  messageCount: z.int().optional(),
  messages: z.array(z.object({ role: z.string(), text: z.string(), at: z.string().optional() })),
})

const exportQuery = agentQuery.extend({
  harness: name.optional(),
  /** Time of the last capture. */
  since: timestamp.optional(),
  until: timestamp.optional(),
  limit: queryInt({ min: 1, max: 10_000_000 }).optional(),
  offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
  /** Only the key, roles and texts. */
  messagesOnly: queryBoolean.default(false),
  /** One list instead of lines. */
  json: queryBoolean.default(false),
})
export type TranscriptExportQuery = z.infer<typeof exportQuery>

export const exportTranscripts = endpoint({
  method: 'GET',
  path: '/api/sources/imports/export/transcripts',
  summary: 'Export conversations of an agent as JSON Lines, oldest first',
  permission: 'modify',
  mutates: false,
  query: exportQuery,
  response: z.union([exportedConversation, z.array(exportedConversation)]),
  contentType: 'application/x-ndjson',
  contentTypeFor: ({ query }: { query: TranscriptExportQuery }) =>
    query.json ? 'application/json; charset=utf-8' : undefined,
})
