import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, projectName, queryBoolean, queryInt, timestamp } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

export const messageTypes = ['assist_request', 'decision_update', 'info', 'question'] as const

/** Characters of one message: a text that an agent reads at once. */
const maxContent = 65_536
/** Messages that the inboxes of all agents hold together (messages.md 8). */
export const maxLiveMessages = 10_000

/** How far a message came that is relayed to an agent of another server (messages.md 3.5). */
const relayStates = ['pending', 'in_flight', 'indeterminate', 'delivered', 'failed'] as const
export type RelayState = (typeof relayStates)[number]

const message = z.object({
  /** Stable: what acknowledges the message. */
  id: z.string(),
  fromAgentId: z.string(),
  fromSessionKey: z.string().nullable(),
  toAgentId: z.string().nullable(),
  toSessionKey: z.string().nullable(),
  broadcast: z.boolean(),
  type: z.enum(messageTypes),
  content: z.string(),
  /** The project of the session that sent it. */
  project: z.string().nullable(),
  via: z.enum(['local', 'acp']),
  /** `delivered`: it stands in the inbox, or the other server took it. */
  deliveryStatus: z.enum(['queued', 'delivered', 'indeterminate', 'failed']),
  /** Of relayed messages. */
  deliveryState: z.enum(relayStates).optional(),
  relay: z
    .object({
      baseUrl: z.string(),
      targetAgentName: z.string(),
      attempts: z.int(),
      /** What the other server said of the run that the message became. */
      receipt: z
        .object({ runId: z.string().nullable(), status: z.string().nullable(), httpStatus: z.int() })
        .nullable(),
      error: z.string().nullable(),
    })
    .optional(),
  createdAt: z.string(),
  expiresAt: z.string(),
  /** When the reader acknowledged it; null while it is unread, and for what the reader sent. */
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
  summary: 'Live sessions of other agents, and other sessions of this one, last seen first',
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
  summary: 'Send a message to an agent, to a live session, to all, or to an agent of another server',
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
    /** A live session; what an agent is to get when it comes back goes to `to_agent_id`. */
    to_session_key: name.nullish(),
    broadcast: z.boolean().nullish(),
    type: z.enum(messageTypes).default('info'),
    via: z.enum(['local', 'acp']).default('local'),
    acp_base_url: z.string().trim().min(1).max(2000).nullish(),
    acp_target_agent_name: name.nullish(),
    /** Milliseconds that the other server may take. */
    acp_timeout_ms: z.int().min(100).max(120_000).default(20_000),
  }),
  success: 201,
  response: message,
})
export type SendBody = z.infer<typeof sendMessage.body>

export const readInbox = endpoint({
  method: 'GET',
  path: '/api/cross-agent/messages',
  summary: 'Messages to an agent, newest first; reading acknowledges none',
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
    /** All that the query finds. */
    total: z.int(),
    unreadCount: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
    /** Of all agents together: a send is refused once the inboxes are full. */
    capacity: z.object({ live: z.int(), limit: z.int() }),
  }),
})
export type InboxQuery = z.infer<typeof readInbox.query>

const messageParams = z.object({ messageId: id })

export const acknowledgeMessage = endpoint({
  method: 'POST',
  path: '/api/cross-agent/messages/:messageId/ack',
  summary: 'Mark a message as read by one agent; a broadcast stays unread for the others',
  permission: 'remember',
  // Goes on while mutations are frozen: it takes back nothing and saves nothing (rules.md#kill-switch).
  mutates: false,
  params: messageParams,
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
  summary: 'Relay a message again of which nobody knows whether it arrived',
  permission: 'remember',
  mutates: true,
  params: messageParams,
  body: z.object({ agent_id: name.nullish(), agentId: name.nullish() }).prefault({}),
  response: message,
})

/** What a server of the Agent Communication Protocol says of a run; it says more, which nobody here reads. */
export const acpRun = z.object({
  run_id: z.string().max(1000),
  status: z.enum(['created', 'in-progress', 'awaiting', 'cancelling', 'cancelled', 'completed', 'failed']),
})

/** Its body of an error. */
export const acpError = z.object({ code: z.string().max(200), message: z.string().max(100_000) })
