import type { z } from 'zod'
import type { PluginUse } from './plugin-capabilities.js'

export const permissions = [
  'remember',
  'recall',
  'modify',
  'forget',
  'recover',
  'documents',
  'connectors',
  'diagnostics',
  'analytics',
  'admin',
] as const
export type Permission = (typeof permissions)[number]

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Type of a body of lines of JSON. */
export const linesContentType = 'application/x-ndjson'

/** Latency group that the analytics report by (telemetry.md 2). */
export type MetricGroup = 'remember' | 'recall' | 'mutate'

/** Requests per window that a sliding-window limit lets through unless the settings say otherwise (security.md 5.5). */
export const rateBuckets = {
  forget: 30,
  modify: 60,
  batchForget: 5,
  forceDelete: 3,
  admin: 10,
  login: 5,
  inferenceExplain: 120,
  inferenceExecute: 20,
  inferenceGateway: 30,
  recallLlm: 60,
} as const
export type RateBucket = keyof typeof rateBuckets

/** HTTP status of a status word and, from 400 on, the sentence that the reply then has as `error`. */
export type Outcome = readonly [status: 200] | readonly [status: number, sentence: string]
export type Outcomes = Readonly<Record<string, Outcome>>

/** Of replies that go on as something happens: server-sent events. */
export const eventStream = 'text/event-stream'

/** Of bodies whose bytes are taken whatever they are called. */
export const anyContentType = '*/*'

/** The files that a form may carry. */
export interface FormShape {
  /** Name of the fields that hold them. */
  field: string
  maxFiles: number
  /** A file that is larger is handed on as such, without its bytes. */
  maxFileBytes: number
  /** Of all files together. */
  maxBytes: number
}

export interface EndpointShape {
  method: Method
  path: `/${string}`
  /** Other paths that answer exactly the same. */
  aliases?: readonly `/${string}`[]
  summary: string
  /**
   * 'public' needs no credential in any mode, 'authenticated' any valid one; every other value is checked before the
   * body is read.
   */
  permission: Permission | 'authenticated' | 'public'
  /** A further permission that depends on what the request says; checked once the body is parsed. */
  permissionFor?: (input: { query: never; body: never }) => Permission | undefined
  /** The plugin that the route belongs to: 403 `plugin_capability_denied` while it is off or lacks the capability. */
  plugin?: PluginUse
  /** A memory write: answers 503 `mutations_frozen` while the kill switch is on; a function decides by the parsed body. */
  mutates: boolean | ((body: never, query: never) => boolean)
  bucket?: RateBucket
  /** A further limit that depends on what the request says. */
  bucketFor?: (input: { query: never; body: never }) => RateBucket | undefined
  /** So many requests are handled at a time; further ones are told to come again shortly. */
  maxInFlight?: number
  metric?: MetricGroup
  /** Of a request that only tries: it counts as none of its metric. */
  isTrial?: (input: { body: never }) => boolean
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  /** Where it is less than what every route takes. */
  maxBodyBytes?: number
  /** Fields of the body whose text is kept exactly as it came: there, NUL and half surrogates are no fault. */
  exactText?: readonly string[]
  /**
   * The body is handed on unread, for the use case to read as it comes: lines of JSON each like `schema`, or a text like
   * it; bytes of any content type where that is `anyContentType`.
   */
  stream?: { contentType: string; schema: z.ZodType }
  /** The headers that it reads, by their names in lower case. */
  headers?: z.ZodType
  /** The body may also come as multipart/form-data: files, and the fields of `body`. */
  form?: FormShape
  /** Body of a success (and of every status word of `outcomes`). */
  response: z.ZodType
  /** What the `status` word of the reply means (rules.md 4.5 to 4.8); a word that is missing here is a bug. */
  outcomes?: Outcomes
  /** HTTP status of a plain success, 200 unless given. */
  success?: number
  /** Another one that depends on the reply; undefined leaves it at `success`. */
  successFor?: (reply: never) => number | undefined
  /** Headers of a success, made of its body. */
  replyHeaders?: (reply: never) => Readonly<Record<string, string>>
  /** Content type of the reply, JSON unless given. */
  contentType?: string
  /** Another one that depends on what the request says. */
  contentTypeFor?: (input: { query: never }) => string | undefined
}

/**
 * One endpoint of the HTTP API as a literal: what the daemon binds, what OpenAPI shows and what clients are
 * typed by.
 */
export function endpoint<const E extends EndpointShape>(shape: E): E {
  return shape
}
