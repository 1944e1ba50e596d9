import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'
import { hookFields, noOpFields } from './hooks.js'

/**
 * Reasons that end a session; with other reasons a session-end only marks the end of a turn (rules.md 4.10).
 */
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

/** Limited by the 10 MiB body. */
const maxTextLength = 10_485_760

const block = z.looseObject({
  type: z.string().max(255).optional(),
  text: z.string().max(maxTextLength).optional(),
})
const said = z.union([
  z.string().max(maxTextLength),
  z.array(z.union([z.string().max(maxTextLength), block])).max(10_000),
])

/** A turn sent by a harness, with its text in `content` or `text`. */
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

/** `queued` with a job; otherwise the reason why nothing is captured. */
export const transcriptOutcomes = ['queued', 'none', 'missing', 'empty', 'frozen'] as const

const sessionEndBody = hookFields.extend({
  sessionId: name.nullish(),
  transcriptPath: transcriptPath.nullish(),
  transcript: inlineTranscript.nullish(),
  /** Time of the event when the call is late; a future time counts as now. */
  capturedAt: timestamp.nullish(),
  /** Unknown reasons count as none. */
  reason: z.string().max(1000).nullish(),
})
export type SessionEndBody = z.infer<typeof sessionEndBody>

const sessionEndReply = z.object({
  success: z.literal(true),
  /**
   * `queued`: see `transcriptCaptureJobId`; `missing`: the file does not exist; `empty`: the conversation is
   * empty.
   */
  transcript: z.enum(transcriptOutcomes),
  transcriptCaptureJobId: z.string().optional(),
  /** Agent of the receipt, needed to query it. */
  agentId: z.string().optional(),
  ...noOpFields,
})
export type SessionEndReply = z.infer<typeof sessionEndReply>

export const sessionEnd = endpoint({
  method: 'POST',
  path: '/api/hooks/session-end',
  summary: 'End a session, release its runtime path and capture its transcript',
  permission: 'remember',
  // Works while mutations are frozen, as the session ends anyway.
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
  summary: 'Capture the transcript of a running session so far',
  permission: 'remember',
  // Returns the same reply while mutations are frozen, but captures nothing.
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
  summary: 'Get the progress of a transcript capture',
  permission: 'remember',
  mutates: false,
  params: z.object({ jobId: id }),
  query: agentQuery,
  response: captureReply,
})
