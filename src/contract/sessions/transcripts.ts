import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, contentSafety, name, projectName, queryInt } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

/** Kinds of what a reader of conversations leaves out or changes, in words for users. */
export const leftOutKinds = {
  unreadable_lines: 'lines that are not JSON',
  long_lines: 'lines or elements over 8 Mi characters',
  odd_messages: 'messages of an unknown form',
  odd_parts: 'parts of messages of an unknown kind',
  odd_times: 'times that cannot be read (the messages are kept)',
  missing_messages: 'links to messages that the file does not have',
  bad_characters: 'texts with bytes that are not UTF-8 (shown as U+FFFD)',
  cut_messages: 'messages over 4 MiB, which were cut',
  old_messages: 'first messages of conversations over 16 MiB or 50,000 messages',
  packed_rest: 'ends of damaged packed files',
} as const
export type LeftOutKind = keyof typeof leftOutKinds

/** The key of a session in a path, raw or as `session:<key>`. */
const sessionParams = z.object({ key: z.string().trim().min(1).max(300) })

const transcriptReply = z.object({
  sessionKey: z.string(),
  agentId: z.string(),
  harness: z.string(),
  project: z.string().nullable(),
  capturedAt: z.string(),
  messages: z.number(),
  contentSafety,
  /** `role: text` for each message, separated by empty lines. */
  content: z.string(),
})

export const sessionTranscript = endpoint({
  method: 'GET',
  path: '/api/sessions/:key/transcript',
  summary: 'Get the transcript of a session',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query: agentQuery,
  response: transcriptReply,
})

export const sessionTurn = z.object({
  position: z.int(),
  role: z.string(),
  /** Shortened if it is very long; null if it failed the safety check (content-safety.md). */
  text: z.string().nullable(),
  at: z.string().nullable(),
})

export const sessionTurns = endpoint({
  method: 'GET',
  path: '/api/sessions/:key/turns',
  summary: 'Get some turns of a session, with its title and origin',
  permission: 'recall',
  mutates: false,
  params: sessionParams,
  shortIds: { 'params.key': ['session'] },
  query: agentQuery.extend({
    /** Position of the first turn. */
    from: queryInt({ min: 0, max: 10_000_000 }).default(0),
    limit: queryInt({ min: 1, max: 200 }).default(50),
  }),
  response: transcriptReply.omit({ messages: true, content: true, contentSafety: true }).extend({
    /** Null while its conversation is not stored. */
    capturedAt: z.string().nullable(),
    /** The first prompt of the person; null without one, or if it is not safe to show. */
    title: z.string().nullable(),
    /** The session that it continues as a fork. */
    forkOf: z.string().nullable(),
    /** Memories that were saved in it. */
    memories: z.int(),
    /** Number of turns of the whole session. */
    total: z.int(),
    turns: z.array(sessionTurn),
  }),
})

const searchBody = z.object({
  query: z
    .string({ error: issue => (issue.input === undefined ? 'query is required' : undefined) })
    .trim()
    .min(1)
    .max(10_000),
  sessionKey: name.nullish(),
  currentSessionKey: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  project: projectName.nullish(),
  limit: clampedInt({ min: 1, max: 20 }).default(10),
})
export type SessionSearchBody = z.infer<typeof searchBody>

const hit = z.object({
  sessionKey: z.string(),
  project: z.string().nullable(),
  updatedAt: z.string(),
  excerpt: z.string(),
  /** Position of the turn with the excerpt. */
  position: z.int(),
  /** Position among the hits, from 1. */
  rank: z.number(),
})
export type SessionHit = z.infer<typeof hit>

const searchReply = z.object({ query: z.string(), hits: z.array(hit), count: z.number() })
export type SessionSearchReply = z.infer<typeof searchReply>

export const searchSessions = endpoint({
  method: 'POST',
  path: '/api/sessions/search',
  summary: 'Search transcripts of earlier sessions',
  permission: 'recall',
  mutates: false,
  body: searchBody,
  response: searchReply,
})
