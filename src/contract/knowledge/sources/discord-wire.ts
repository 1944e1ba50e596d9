import { z } from 'zod'

/**
 * What we read of the replies and events of Discord. Fields that we do not use are dropped, those that are missing are
 * null or empty: only without its ids a thing is none.
 */
export const snowflake = z.string().regex(/^\d{1,20}$/)

const text = z.string().nullish()
/** A list of which each item is taken or dropped by itself. */
const each = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .catch([])
    .transform(items =>
      items.flatMap(one => {
        const known = item.safeParse(one)
        return known.success ? [known.data] : []
      }),
    )

export const wireUser = z.object({
  id: snowflake,
  username: z.string().catch(''),
  global_name: text,
  bot: z.boolean().nullish(),
})
export type WireUser = z.infer<typeof wireUser>

const attachment = z.object({
  id: snowflake,
  filename: z.string().catch('file'),
  title: text,
  description: text,
  url: z.string().catch(''),
  size: z.number().catch(0),
  content_type: text,
})
export type WireAttachment = z.infer<typeof attachment>

const embed = z.object({
  title: text,
  description: text,
  url: text,
  author: z.object({ name: text }).nullish(),
  footer: z.object({ text }).nullish(),
  fields: each(z.object({ name: z.string(), value: z.string() })).optional(),
})
export type WireEmbed = z.infer<typeof embed>

const media = z.object({ text }).nullish()
const poll = z.object({
  question: media,
  answers: each(z.object({ answer_id: z.number(), poll_media: media })).optional(),
  results: z
    .object({
      is_finalized: z.boolean().nullish(),
      answer_counts: each(z.object({ id: z.number(), count: z.number() })),
    })
    .nullish(),
})
export type WirePoll = z.infer<typeof poll>

const sticker = z.object({ name: z.string() })
const mention = wireUser.extend({ member: z.object({ nick: text }).nullish() })
const reference = z.object({
  type: z.number().nullish(),
  message_id: snowflake.nullish(),
  channel_id: snowflake.nullish(),
  guild_id: snowflake.nullish(),
})

/** What a message says: of itself, and of each message that it forwards. */
const said = {
  content: z.string().nullish(),
  attachments: each(attachment).optional(),
  embeds: each(embed).optional(),
  /** Components nest in several ways: they are walked as they come. */
  components: z.array(z.unknown()).nullish().catch(null),
  sticker_items: each(sticker).optional(),
  mentions: each(mention).optional(),
}
const snapshot = z.object({ message: z.object(said) })

export const wireMessage = z.object({
  id: snowflake,
  channel_id: snowflake,
  /** Only events have it. */
  guild_id: snowflake.nullish(),
  type: z.number().catch(0),
  author: wireUser.nullish(),
  member: z.object({ nick: text }).nullish(),
  timestamp: text,
  edited_timestamp: text,
  webhook_id: snowflake.nullish(),
  flags: z.number().nullish(),
  ...said,
  poll: poll.nullish(),
  message_snapshots: each(snapshot).optional(),
  message_reference: reference.nullish(),
  referenced_message: z.object({ author: wireUser.nullish(), content: text }).nullish().catch(null),
})
export type WireMessage = z.infer<typeof wireMessage>

export const wireChannel = z.object({
  id: snowflake,
  type: z.number(),
  guild_id: snowflake.nullish(),
  name: text,
  topic: text,
  parent_id: snowflake.nullish(),
  last_message_id: snowflake.nullish(),
  available_tags: each(z.object({ id: snowflake, name: z.string() })).optional(),
  applied_tags: each(snowflake).optional(),
  thread_metadata: z.object({ archived: z.boolean().catch(false), archive_timestamp: text }).nullish(),
  recipients: each(wireUser).optional(),
})
export type WireChannel = z.infer<typeof wireChannel>

export const wireGuild = z.object({
  id: snowflake,
  name: z.string().catch(''),
  roles: each(z.object({ id: snowflake, name: z.string() })).optional(),
})
export type WireGuild = z.infer<typeof wireGuild>

export const wireMember = z.object({
  user: wireUser,
  nick: text,
  roles: each(snowflake).optional(),
  joined_at: text,
})
export type WireMember = z.infer<typeof wireMember>

export const wireThreads = z.object({
  threads: z.array(z.unknown()),
  has_more: z.boolean().nullish(),
})

/** `user_id` is missing where a thread is told to its own members. */
export const wireThreadMember = z.object({ user_id: snowflake.nullish(), member: wireMember.nullish() })

export const wireError = z.object({ code: z.number().nullish(), message: z.string().nullish() })

export const wireLimited = z.object({ retry_after: z.number(), global: z.boolean().nullish() })

export const wireGatewayBot = z.object({
  url: z.string(),
  shards: z.number().nullish(),
  session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }).nullish(),
})

/** One frame of the gateway. */
export const wireFrame = z.object({
  op: z.number(),
  d: z.unknown().optional(),
  s: z.number().nullish(),
  t: z.string().nullish(),
})
export type WireFrame = z.infer<typeof wireFrame>

export const wireHello = z.object({ heartbeat_interval: z.number().positive() })
export const wireReady = z.object({ session_id: z.string(), resume_gateway_url: z.string() })
/** Deleted messages: of one event, or of one that tells of several. */
export const wireDeleted = z.object({
  channel_id: snowflake,
  guild_id: snowflake.nullish(),
  id: snowflake.nullish(),
  ids: each(snowflake).optional(),
})
export const wireGone = z.object({
  id: snowflake,
  guild_id: snowflake.nullish(),
  /** Of a server: it is down, not left. */
  unavailable: z.boolean().nullish(),
})
export const wireMemberThere = wireMember.extend({ guild_id: snowflake })
export type WireMemberThere = z.infer<typeof wireMemberThere>
export const wireThreadList = z.object({ guild_id: snowflake, threads: each(wireChannel) })
export const wireThreadMembers = z.object({ id: snowflake, guild_id: snowflake })
export const wireMemberGone = z.object({ guild_id: snowflake, user: wireUser })
