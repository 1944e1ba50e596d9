import { z } from 'zod'
import { endpoint, eventStream } from '../ground/endpoint.js'
import { queryInt } from '../ground/fields.js'
import { agentQuery } from './record.js'

export const changeKinds = ['remembered', 'modified', 'superseded', 'forgotten', 'recovered'] as const
export type ChangeKind = (typeof changeKinds)[number]

/**
 * Events of the stream: `connected` first, then changes of memories by id and kind, without texts. After
 * `dropped` some changes were omitted, and views must be reloaded (rules.md#live-changes).
 */
export const changeEvent = z.discriminatedUnion('type', [
  /** Number of earlier changes that follow. */
  z.object({ type: z.literal('connected'), last: z.int() }),
  z.object({ type: z.literal('changed'), kind: z.enum(changeKinds), id: z.string(), at: z.string() }),
  /** Sessions asked something or were given a context: `GET /api/sessions/activity` has it. */
  z.object({ type: z.literal('activity') }),
  z.object({ type: z.literal('dropped') }),
])
export type ChangeEvent = z.infer<typeof changeEvent>

export const streamChanges = endpoint({
  method: 'GET',
  path: '/api/memories/stream',
  summary: 'Follow changes of memories live (server-sent events, without texts)',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    /** Starts with this many recent changes, if they are among the newest 20,000 events of all memories. */
    last: queryInt({ min: 0, max: 50 }).default(0),
  }),
  response: changeEvent,
  contentType: eventStream,
})
