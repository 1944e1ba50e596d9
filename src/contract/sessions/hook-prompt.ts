import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { hookFields, noOpFields } from './hook-body.js'
import { notifications } from './hook-notifications.js'

/** Longest text of a turn, in UTF-16 units: what a 10 MiB body can hold. */
const turn = z.string().max(10_485_760)

export const promptSubmit = endpoint({
  method: 'POST',
  path: '/api/hooks/user-prompt-submit',
  summary: 'What a session is told beside a prompt: the time, and what is known of entities that it names',
  permission: 'recall',
  mutates: false,
  // rules.md 4.10 and 8.
  maxInFlight: 8,
  exactText: ['transcript'],
  body: hookFields.extend({
    /** The turn without what a harness added to it; `userPrompt` where there is none. */
    userMessage: turn.nullish(),
    userPrompt: turn.nullish(),
    lastAssistantMessage: turn.nullish(),
    transcriptPath: z.string().min(1).max(4096).nullish(),
    transcript: z.unknown().optional(),
  }),
  response: z.object({
    /** Date and time with UTC offset and IANA zone; never part of `inject`. */
    clockContext: z.string(),
    dynamicContext: z.string(),
    inject: z.string(),
    /** Attributes of entities in `inject`. */
    memoryCount: z.int(),
    /** What made `inject`; `low-signal` where nothing was looked for. */
    engine: z.enum(['entity-context', 'low-signal', 'none']),
    notifications: notifications.optional(),
    ...noOpFields,
  }),
})
export type PromptBody = z.infer<(typeof promptSubmit)['body']>
export type PromptReply = z.infer<(typeof promptSubmit)['response']>
