import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { hookFields, noOpFields } from './hooks.js'

/** Reasons that end the life of a session; every other session-end is one more turn of it (rules.md 4.10). */
export const endReasons = [
  'clear',
  'session.deleted',
  'session_branch',
  'session_fork',
  'session_shutdown',
  'session_switch',
  'stale-session-sweep',
] as const
export type EndReason = (typeof endReasons)[number]

/** What a body of 10 MiB can hold. */
const maxTextLength = 10_485_760

const block = z.looseObject({
  type: z.string().max(255).optional(),
  text: z.string().max(maxTextLength).optional(),
})
const said = z.union([
  z.string().max(maxTextLength),
  z.array(z.union([z.string().max(maxTextLength), block])).max(10_000),
])

/** A turn as a harness hands it over: its text under `content` or `text`. */
const turn = z.looseObject({
  role: z.string().max(255).optional(),
  content: said.nullish(),
  text: z.string().max(maxTextLength).nullish(),
  at: z.union([z.string().max(64), z.number()]).nullish(),
  timestamp: z.union([z.string().max(64), z.number()]).nullish(),
})

/** The text of a conversation, or its turns. */
const inlineTranscript = z.union([z.string().max(maxTextLength), z.array(turn).max(200_000)], {
  error: 'must be the text of a conversation, or a list of { role, content }',
})
export type InlineTranscript = z.infer<typeof inlineTranscript>

const transcriptPath = z.string().min(1).max(4096)

/** `queued` with a job; otherwise why there is nothing to capture. */
export const transcriptOutcomes = ['queued', 'none', 'missing', 'empty', 'frozen'] as const

const sessionEndBody = hookFields.extend({
  sessionId: name.nullish(),
  transcriptPath: transcriptPath.nullish(),
  transcript: inlineTranscript.nullish(),
  /** When it happened, for a call that comes later; a time to come counts as now. */
  capturedAt: timestamp.nullish(),
  /** A reason that is not in the table counts as none. */
  reason: z.string().max(1000).nullish(),
})
export type SessionEndBody = z.infer<typeof sessionEndBody>

const sessionEndReply = z.object({
  success: z.literal(true),
  /** `queued`: see `transcriptCaptureJobId`; `missing`: there is no file at the path; `empty`: nobody said anything. */
  transcript: z.enum(transcriptOutcomes),
  transcriptCaptureJobId: z.string().optional(),
  /** Whose receipt it is: ask for it under this name. */
  agentId: z.string().optional(),
  ...noOpFields,
})
export type SessionEndReply = z.infer<typeof sessionEndReply>

export const sessionEnd = endpoint({
  method: 'POST',
  path: '/api/hooks/session-end',
  summary: 'End a session: release its runtime path, capture its transcript',
  permission: 'remember',
  // The session ends all the same while mutations are frozen.
  mutates: false,
  exactText: ['transcript'],
  body: sessionEndBody,
  response: sessionEndReply,
})

const checkpointBody = hookFields.extend({
  sessionKey: name,
  transcriptPath: transcriptPath.nullish(),
  transcript: inlineTranscript.nullish(),
})
export type CheckpointBody = z.infer<typeof checkpointBody>

const checkpointReply = z.object({ skipped: z.literal(true), ...noOpFields })
export type CheckpointReply = z.infer<typeof checkpointReply>

export const checkpointExtract = endpoint({
  method: 'POST',
  path: '/api/hooks/session-checkpoint-extract',
  summary: 'Take what a long session has said so far',
  permission: 'remember',
  // It always answers the same; while mutations are frozen it takes nothing.
  mutates: false,
  exactText: ['transcript'],
  body: checkpointBody,
  response: checkpointReply,
})

const captureReply = z.object({
  id: z.string(),
  sessionKey: z.string(),
  agentId: z.string(),
  harness: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'failed']),
  error: z.string().nullable(),
  capturedAt: z.string(),
  createdAt: z.string(),
  completedAt: z.string().nullable(),
})
export type CaptureReply = z.infer<typeof captureReply>

export const captureStatus = endpoint({
  method: 'GET',
  path: '/api/hooks/transcript-capture/:jobId',
  summary: 'How far the capture of a transcript is',
  permission: 'remember',
  mutates: false,
  params: z.object({ jobId: id }),
  query: agentQuery,
  response: captureReply,
})
