import { z } from 'zod'

/** A listing from the newest message backwards. */
const messageListing = z.object({
  /** Its first message; null before the first page. */
  newest: z.string().nullable(),
  /** Continues with messages before this one. */
  before: z.string().nullable(),
  /** Lists back to the first requested message, not only to known ones. */
  isWhole: z.boolean(),
  messages: z.int(),
})
export type MessageListing = z.infer<typeof messageListing>

/** Read progress of one channel or thread. */
export const channelState = z.object({
  /** Settings and title used for its messages. */
  shape: z.string(),
  /** All messages up to this one were listed; null before the first listing has ended. */
  newest: z.string().nullable(),
  /** Time and pass of the last complete listing. */
  listedAt: z.string().nullable(),
  listedIn: z.int().nullable(),
  /** The unfinished listing. */
  walk: messageListing.nullable(),
})
export type ChannelState = z.infer<typeof channelState>

/** A session of the gateway, with which a new connection resumes. */
export const gatewaySession = z.object({ id: z.string(), resumeUrl: z.string(), sequence: z.int() })
export type GatewaySession = z.infer<typeof gatewaySession>

/** Gateway state kept between two connections. */
export const gatewayState = z.object({
  session: gatewaySession.nullable(),
  /** Reason why no connection is possible until the user acts. */
  refusal: z.object({ code: z.int(), message: z.string() }).nullable(),
})
export type GatewayState = z.infer<typeof gatewayState>

/** Read progress of the desktop application's cache. */
export const cacheState = z.object({
  /** Files changed after this time are read. */
  changedAfterMs: z.number(),
  /** Files with messages of unknown channels, which are read again. */
  unplacedFiles: z.array(z.string()),
  unplacedMessages: z.int(),
})
export type CacheState = z.infer<typeof cacheState>

/** Channel locations known from earlier passes over a desktop cache. */
export const cacheRoutes = z.record(z.string(), z.string())

export const syncModes = ['rest', 'gateway-tail', 'desktop-cache'] as const

/** Stored settings of a Discord source (sources.md#discord). */
export const discordSettings = z.object({
  /** Server ids; for a desktop cache also `@me`, and an empty list means everything. */
  guildIds: z.array(z.string()),
  /** A reference to a bot token; null for a desktop cache. */
  tokenRef: z.string().nullable(),
  /** Ids or names of channels, categories and threads; an empty list means all. */
  channelFilter: z.array(z.string()).default([]),
  maxMessagesPerChannel: z.int().min(1).nullable().default(null),
  includeThreads: z.boolean().default(true),
  includeArchivedThreads: z.boolean().default(true),
  includePrivateArchivedThreads: z.boolean().default(false),
  includeMembers: z.boolean().default(false),
  includeAttachments: z.boolean().default(true),
  includeAttachmentText: z.boolean().default(false),
  maxAttachmentTextBytes: z.int().min(1).default(262_144),
  includeEmbeds: z.boolean().default(true),
  includePolls: z.boolean().default(true),
  includeThreadMembers: z.boolean().default(false),
  /** ISO time; older messages are not requested. */
  since: z.string().nullable().default(null),
  syncMode: z.enum(syncModes).default('rest'),
  /** The real path of the application's data folder. */
  desktopCachePath: z.string().nullable().default(null),
  /** The credential that named this folder, unless it was an admin or the owner. */
  givenTo: z.string().optional(),
  desktopCacheFullScan: z.boolean().default(false),
})
export type DiscordSettings = z.infer<typeof discordSettings>
