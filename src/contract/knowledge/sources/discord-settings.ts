import { z } from 'zod'

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
