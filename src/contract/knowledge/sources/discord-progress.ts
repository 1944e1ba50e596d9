import { z } from 'zod'

/** A listing that goes down from the newest message. */
const walk = z.object({
  /** Where it began; null before its first page. */
  newest: z.string().nullable(),
  /** Where it goes on: messages below this one. */
  before: z.string().nullable(),
  /** Down to the first message that is asked for, not only to what is known. */
  isWhole: z.boolean(),
  messages: z.int(),
})
export type Walk = z.infer<typeof walk>

/** How far the messages of one channel or thread are read. */
export const channelState = z.object({
  /** By which settings and title its messages were told. */
  shape: z.string(),
  /** Everything up to this message was listed; null before the first listing has ended. */
  newest: z.string().nullable(),
  /** When it was listed whole the last time, and in which pass. */
  listedAt: z.string().nullable(),
  listedIn: z.int().nullable(),
  /** The listing that has not ended. */
  walk: walk.nullable(),
})
export type ChannelState = z.infer<typeof channelState>

/** A session of the gateway, by which a connection goes on where the last one ended. */
export const gatewaySession = z.object({ id: z.string(), resumeUrl: z.string(), sequence: z.int() })
export type GatewaySession = z.infer<typeof gatewaySession>

/** What is kept of the gateway between two connections. */
export const gatewayState = z.object({
  session: gatewaySession.nullable(),
  /** Why no connection can be made until a person has done something. */
  refusal: z.object({ code: z.int(), message: z.string() }).nullable(),
})
export type GatewayState = z.infer<typeof gatewayState>

/** How far the cache of the desktop application is read. */
export const cacheState = z.object({
  /** Files that were changed later are read. */
  changedAfterMs: z.number(),
  /** Names of files with messages that could not be placed: these are read again. */
  unplacedFiles: z.array(z.string()),
  unplacedMessages: z.int(),
})
export type CacheState = z.infer<typeof cacheState>

/** What is known of where channels belong from earlier passes over a desktop cache. */
export const cacheRoutes = z.record(z.string(), z.string())
