import { z } from 'zod'
import { usedSkillName } from '../agents/skill-names.js'
import { endpoint } from '../ground/endpoint.js'
import { name } from '../ground/fields.js'
import { hookFields, noOpFields } from './hook-body.js'

/** Unread messages of other agents, newest first; reading them here does not acknowledge them (rules.md 4.10). */
export const notifications = z.object({
  items: z.array(
    z.object({
      /** Stable: what acknowledges the message. */
      id: z.string(),
      type: z.string(),
      fromAgentId: z.string(),
      fromSessionKey: z.string().nullable(),
      broadcast: z.boolean(),
      project: z.string().nullable(),
      createdAt: z.string(),
      /** Cut to a bounded length. */
      content: z.string(),
      truncated: z.boolean(),
    }),
  ),
  unreadCount: z.int(),
  /** More are unread than `items` holds. */
  hasMore: z.boolean(),
})
export type Notifications = z.infer<typeof notifications>

export const hookNotifications = endpoint({
  method: 'POST',
  path: '/api/hooks/notifications',
  summary: 'Unread messages of other agents, as context of a hook',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    hook: name,
    /** The skill that the agent is about to use; it is counted (skills.md 6). What is no name counts as absent. */
    skill: usedSkillName.nullish().catch(undefined),
  }),
  response: z.object({ inject: z.string(), notifications: notifications.optional(), ...noOpFields }),
})
export type NotificationsBody = z.infer<typeof hookNotifications.body>
export type NotificationsReply = z.infer<typeof hookNotifications.response>
