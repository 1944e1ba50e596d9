import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name } from '../ground/fields.js'
import { agentQuery, memoryParams } from './record.js'

const maxRatings = 500
const rating = z
  .number()
  .min(-1, 'a rating is -1 (harmful) to 1 (helpful)')
  .max(1, 'a rating is -1 (harmful) to 1 (helpful)')

/** Body of feedback (recall.md 4.9). */
const feedbackBody = z.object({
  /** Default: the session of the caller, where its headers tell it. */
  session_key: name.nullish(),
  /** Ratings by memory id: 1 helpful, 0 neutral, -1 harmful. */
  ratings: z
    .record(id, rating)
    .refine(ratings => Object.keys(ratings).length <= maxRatings, `at most ${maxRatings} ratings at once`),
  agentId: name.nullish(),
  agent_id: name.nullish(),
})
export type FeedbackBody = z.infer<typeof feedbackBody>

const feedbackReply = z.object({
  ok: z.literal(true),
  /** Submitted ratings. */
  recorded: z.int(),
  /** Ratings of memories that this session and agent was shown and may still see. */
  accepted: z.int(),
  rejected: z.int(),
  /** Accepted ratings that changed paths of the knowledge graph. */
  propagated: z.int(),
})
export type FeedbackReply = z.infer<typeof feedbackReply>

export const feedback = endpoint({
  method: 'POST',
  path: '/api/memory/feedback',
  summary: 'Rate recalled memories for the session that recalled them',
  permission: 'recall',
  mutates: true,
  memoryIds: ['body.ratings'],
  body: feedbackBody,
  response: feedbackReply,
})

/** Judgements of a person about a memory; `none` takes one back. */
export const judgements = ['up', 'down', 'wrong', 'none'] as const
export type Judgement = (typeof judgements)[number]

export const judgeMemory = endpoint({
  method: 'POST',
  path: '/api/memory/:id/judgement',
  summary: 'Judge a memory as a person, for all recalls',
  permission: 'modify',
  bucket: 'modify',
  mutates: true,
  params: memoryParams,
  memoryIds: ['params.id'],
  query: agentQuery,
  body: z.object({ judgement: z.enum(judgements) }),
  response: z.object({ id: z.string(), judgement: z.enum(judgements) }),
})
