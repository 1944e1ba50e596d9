import { z } from 'zod'

export const syncModes = ['rest', 'gateway-tail', 'desktop-cache'] as const

/** What Discord servers are read by (sources.md#discord), as it is kept with the source. */
export const discordSettings = z.object({
  /** Numbers of servers; of a desktop cache also `@me`, and none means all that is in it. */
  guildIds: z.array(z.string()),
  /** A reference to the token of a bot; null for a desktop cache. */
  tokenRef: z.string().nullable(),
  /** Numbers or names of channels, categories and threads; none means all. */
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
  /** ISO time: older messages are not asked for. */
  since: z.string().nullable().default(null),
  syncMode: z.enum(syncModes).default('rest'),
  /** The real path of the application's data folder. */
  desktopCachePath: z.string().nullable().default(null),
  desktopCacheFullScan: z.boolean().default(false),
})
export type DiscordSettings = z.infer<typeof discordSettings>
