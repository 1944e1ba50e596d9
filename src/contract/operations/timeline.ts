import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

const event = z.object({
  at: z.string(),
  /** A fixed word, which metrics and filters may rely on (timeline.md). */
  kind: z.string(),
  title: z.string(),
  /** The actor, reason and subject, as ids; never the text of a memory or query. */
  detail: z.string(),
})
export type TimelineEvent = z.infer<typeof event>

/** Id of a memory, document, entity, source or session. */
const params = z.object({ id })
const reading = {
  permission: 'analytics',
  mutates: false,
  params,
  memoryIds: ['params.id'],
  shortIds: { 'params.id': ['document', 'source', 'entity', 'session'] },
  query: agentQuery,
} as const

export type TimelineQuery = z.infer<typeof agentQuery>

export const timeline = endpoint({
  method: 'GET',
  path: '/api/timeline/:id',
  summary: 'Get the timeline of a memory, session, entity, source or document, oldest first',
  ...reading,
  response: z.object({ id: z.string(), events: z.array(event) }),
})

export const exportTimeline = endpoint({
  method: 'GET',
  path: '/api/timeline/:id/export',
  summary: 'Export the timeline with the time of the export',
  ...reading,
  response: z.object({
    meta: z.object({ version: z.literal(1), exportedAt: z.string(), id: z.string() }),
    timeline: z.array(event),
  }),
})
