import { z } from 'zod'
import { endpoint, eventStream } from '../ground/endpoint.js'
import { queryInt } from '../ground/fields.js'
import { agentQuery } from './record.js'

export const changeKinds = ['remembered', 'modified', 'superseded', 'forgotten', 'recovered'] as const
export type ChangeKind = (typeof changeKinds)[number]

/**
 * `connected` first, then what became of memories, as it happens: which and how, never a word of them. `dropped` where
 * there was more than is told one by one: what is shown has to be loaded anew (rules.md#live-changes).
 */
export const changeEvent = z.discriminatedUnion('type', [
  /** So many that were before follow. */
  z.object({ type: z.literal('connected'), last: z.int() }),
  z.object({ type: z.literal('changed'), kind: z.enum(changeKinds), id: z.string(), at: z.string() }),
  z.object({ type: z.literal('dropped') }),
])
export type ChangeEvent = z.infer<typeof changeEvent>

export const streamChanges = endpoint({
  method: 'GET',
  path: '/api/memories/stream',
  summary: 'What becomes of memories, as it happens: server-sent events without their texts',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    /** Begin with so many that were last, as far as they are among the last thousand of all. */
    last: queryInt({ min: 0, max: 50 }).default(0),
  }),
  response: changeEvent,
  contentType: eventStream,
})
