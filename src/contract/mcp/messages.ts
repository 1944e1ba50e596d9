import { z } from 'zod'
import { messageTypes } from '../agents/messages.js'

const session = z.string().meta({ accepts: 'key' })

export const presenceInput = z.object({
  agent_id: z.string().optional(),
  session_key: session.optional().describe('your own, left out'),
  include_self: z.boolean().default(false),
  project: z.string().optional(),
  limit: z.number().default(25),
})
export const presenceOutput = z.object({
  sessions: z.array(
    z.object({
      key: z.string(),
      agentId: z.string(),
      harness: z.string(),
      project: z.string().nullable(),
      seenAt: z.string(),
    }),
  ),
  count: z.number(),
})

export const messageSendInput = z.object({
  content: z.string().min(1),
  to_agent_id: z.string().optional(),
  to_session_key: session.optional(),
  broadcast: z.boolean().optional(),
  type: z.enum(messageTypes).meta({ lists: 'no choices' }).default('info'),
  from_agent_id: z.string().optional(),
  from_session_key: session.optional(),
  via: z.enum(['local', 'acp']).default('local'),
  acp_base_url: z.string().optional(),
  acp_target_agent_name: z.string().optional(),
  acp_timeout_ms: z.number().optional(),
})
export const messageSendOutput = z.object({
  id: z.string(),
  deliveryStatus: z.string(),
  deliveryState: z.string().optional(),
})

export const messageInboxInput = z.object({
  agent_id: z.string().optional(),
  session_key: session.optional(),
  since: z.string().meta({ accepts: 'begin' }).optional(),
  limit: z.number().default(10),
  offset: z.number().default(0),
  unread_only: z.boolean().default(true),
  include_sent: z.boolean().default(false),
  include_broadcast: z.boolean().default(true),
})
export const messageInboxOutput = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      fromAgentId: z.string(),
      fromSessionKey: z.string().nullable(),
      content: z.string(),
      createdAt: z.string(),
      acknowledgedAt: z.string().nullable(),
      deliveryState: z.string().optional(),
    }),
  ),
  count: z.number(),
  total: z.number(),
  unreadCount: z.number(),
  hasMore: z.boolean(),
})

export const messageAckInput = z.object({
  message_id: z.string().min(1).meta({ accepts: 'id' }),
  agent_id: z.string().optional(),
  session_key: session.optional(),
})
export const messageAckOutput = z.object({
  messageId: z.string(),
  agentId: z.string(),
  acknowledgedAt: z.string(),
  alreadyAcknowledged: z.boolean(),
})
