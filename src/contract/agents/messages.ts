import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, projectName, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

export const messageTypes = ['assist_request', 'decision_update', 'info', 'question'] as const

/** Maximum characters of a message, because an agent reads it at once. */
const maxContent = 65_536
/** Maximum messages in the inboxes of all agents together (messages.md 8). */
export const maxLiveMessages = 10_000

/** Delivery states of a message relayed to an agent on another server (messages.md 3.5). */
const relayStates = ['pending', 'in_flight', 'indeterminate', 'delivered', 'failed'] as const
export type RelayState = (typeof relayStates)[number]

const message = z.object({
  /** Stable id, used to acknowledge the message. */
  id: z.string(),
  fromAgentId: z.string(),
  fromSessionKey: z.string().nullable(),
  toAgentId: z.string().nullable(),
  toSessionKey: z.string().nullable(),
  broadcast: z.boolean(),
  type: z.enum(messageTypes),
  content: z.string(),
  /** The sender's project. */
  project: z.string().nullable(),
  via: z.enum(['local', 'acp']),
  /** `delivered`: it is in the inbox, or the other server accepted it. */
  deliveryStatus: z.enum(['queued', 'delivered', 'indeterminate', 'failed']),
  /** Only for relayed messages. */
  deliveryState: z.enum(relayStates).optional(),
  relay: z
    .object({
      baseUrl: z.string(),
      targetAgentName: z.string(),
      attempts: z.int(),
      /** The other server's status of the run created for the message. */
      receipt: z
        .object({ runId: z.string().nullable(), status: z.string().nullable(), httpStatus: z.int() })
        .nullable(),
      error: z.string().nullable(),
    })
    .optional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** When the reader acknowledged it; null while unread, and for sent messages. */
  acknowledgedAt: z.string().nullable(),
})
export type Message = z.infer<typeof message>

const peer = z.object({
  key: z.string(),
  agentId: z.string(),
  harness: z.string(),
  project: z.string().nullable(),
  startedAt: z.string(),
  seenAt: z.string(),
})
export type Peer = z.infer<typeof peer>

const inboxQuery = agentQuery.extend({ session_key: name.optional(), sessionKey: name.optional() })

export const listPresence = endpoint({
  method: 'GET',
  path: '/api/cross-agent/presence',
  summary: 'List active sessions of other agents and other sessions of this one, most recent first',
  permission: 'recall',
  mutates: false,
  query: inboxQuery.extend({
    include_self: queryBoolean.default(false),
    project: projectName.optional(),
    limit: queryInt({ min: 1, max: 500 }).default(100),
  }),
  response: z.object({ sessions: z.array(peer), count: z.int() }),
})
export type PresenceQuery = z.infer<typeof listPresence.query>

export const sendMessage = endpoint({
  method: 'POST',
  path: '/api/cross-agent/messages',
  summary: 'Send a message to an agent, an active session, all agents, or an agent on another server',
  permission: 'remember',
  mutates: true,
  body: z.object({
    content: z
      .string({ error: issue => (issue.input === undefined ? 'content is required' : undefined) })
      .min(1, 'content is required')
      .max(maxContent)
      .refine(text => text.trim() !== '', 'content is required'),
    from_agent_id: name.nullish(),
    from_session_key: name.nullish(),
    to_agent_id: name.nullish(),
    /** A live session; use `to_agent_id` for an agent that should read it later. */
    to_session_key: name.nullish(),
    broadcast: z.boolean().nullish(),
    type: z.enum(messageTypes).default('info'),
    via: z.enum(['local', 'acp']).default('local'),
    acp_base_url: z.string().trim().min(1).max(2000).nullish(),
    acp_target_agent_name: name.nullish(),
    /** Time limit of the other server in milliseconds. */
    acp_timeout_ms: z.int().min(100).max(120_000).default(20_000),
  }),
  success: 201,
  response: message,
})
export type SendBody = z.infer<typeof sendMessage.body>

export const readInbox = endpoint({
  method: 'GET',
  path: '/api/cross-agent/messages',
  summary: 'List the messages of an agent, newest first, without marking them as read',
  permission: 'remember',
  mutates: false,
  query: inboxQuery.extend({
    since: timestamp.optional(),
    limit: queryInt({ min: 1, max: 100 }).default(25),
    offset: queryInt({ min: 0, max: 1_000_000 }).default(0),
    unread_only: queryBoolean.default(false),
    include_sent: queryBoolean.default(false),
    include_broadcast: queryBoolean.default(true),
  }),
  response: z.object({
    items: z.array(message),
    count: z.int(),
    /** Number of all matching messages. */
    total: z.int(),
    unreadCount: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
    /** Messages of all agents together; sending fails once the limit is reached. */
    capacity: z.object({ live: z.int(), limit: z.int() }),
  }),
})
export type InboxQuery = z.infer<typeof readInbox.query>

const messageParams = z.object({ messageId: id })

export const acknowledgeMessage = endpoint({
  method: 'POST',
  path: '/api/cross-agent/messages/:messageId/ack',
  summary: 'Mark a message as read by one agent; a broadcast stays unread for others',
  permission: 'remember',
  // Allowed while mutations are frozen: it neither changes nor saves memories (rules.md#kill-switch).
  mutates: false,
  params: messageParams,
  shortIds: { 'params.messageId': ['message'] },
  body: z.object({
    agent_id: name.nullish(),
    agentId: name.nullish(),
    session_key: name.nullish(),
  }),
  response: z.object({
    messageId: z.string(),
    agentId: z.string(),
    acknowledgedAt: z.string(),
    alreadyAcknowledged: z.boolean(),
  }),
})

export const retryMessage = endpoint({
  method: 'POST',
  path: '/api/cross-agent/messages/:messageId/retry',
  summary: 'Relay a message again whose delivery is unknown',
  permission: 'remember',
  mutates: true,
  params: messageParams,
  shortIds: { 'params.messageId': ['message'] },
  body: z.object({ agent_id: name.nullish(), agentId: name.nullish() }).prefault({}),
  response: message,
})

/** The fields used from a run on a server of the Agent Communication Protocol. */
export const acpRun = z.object({
  run_id: z.string().max(1000),
  status: z.enum(['created', 'in-progress', 'awaiting', 'cancelling', 'cancelled', 'completed', 'failed']),
})

/** Error body of that server. */
export const acpError = z.object({ code: z.string().max(200), message: z.string().max(100_000) })
