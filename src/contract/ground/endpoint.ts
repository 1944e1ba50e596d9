import type { z } from 'zod'
import type { ErrorCode } from './errors.js'
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
  'relay',
  'admin',
] as const
export type Permission = (typeof permissions)[number]

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Content type of JSON lines. */
export const linesContentType = 'application/x-ndjson'

/** Latency group in analytics (telemetry.md 2). */
export type MetricGroup = 'remember' | 'recall' | 'mutate'

/** Default requests per sliding window (security.md 5.5). */
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

/** HTTP status of a status word and, from 400 on, the sentence used as `error` in the reply. */
export type Outcome = readonly [status: 200] | readonly [status: number, sentence: string]
export type Outcomes = Readonly<Record<string, Outcome>>

/** Content type of server-sent events. */
export const eventStream = 'text/event-stream'

/** Accepts a body of any content type. */
export const anyContentType = '*/*'

/** Limits of the files in a form. */
export interface FormShape {
  /** Name of the form fields with files. */
  field: string
  maxFiles: number
  /** A larger file is passed on without its bytes. */
  maxFileBytes: number
  /** Total of all files. */
  maxBytes: number
}

/** Rows that a part of their id may name, besides memories. */
export type ShortIdKind =
  | 'task'
  | 'message'
  | 'document'
  | 'connector'
  | 'source'
  | 'import'
  | 'entity'
  | 'proposal'
  | 'summary'
  | 'session'
  | 'project change'

/** A field of a request with one id, a list of them, a record by id, or patches that have ids. */
export type IdField = `${'params' | 'query' | 'body'}.${string}`

export interface EndpointShape {
  method: Method
  path: `/${string}`
  /** Other paths with the same reply. */
  aliases?: readonly `/${string}`[]
  summary: string
  /**
   * 'public' needs no credential in any mode, 'authenticated' any valid one; all values are checked before
   * the body is read.
   */
  permission: Permission | 'authenticated' | 'public'
  /** A further permission that depends on the request, checked once the body is parsed. */
  permissionFor?: (input: { query: never; body: never }) => Permission | undefined
  /** The route's plugin: 403 `plugin_capability_denied` while it is off or lacks the capability. */
  plugin?: PluginUse
  /**
   * Writes memories: 503 `mutations_frozen` while the kill switch is on; a function decides from the parsed
   * request.
   */
  mutates: boolean | ((body: never, query: never) => boolean)
  bucket?: RateBucket
  /** A further rate limit that depends on the request. */
  bucketFor?: (input: { query: never; body: never }) => RateBucket | undefined
  /** Maximum concurrent requests; further ones must retry shortly. */
  maxInFlight?: number
  /**
   * Equals a shell of the daemon's user, so that callers elsewhere get 403 unless `auth.remoteAdminMayRun` is
   * on (permissions.md); a function decides from the parsed body.
   */
  runsPrograms?: boolean | ((body: never) => boolean)
  /** Replies with the values of secrets; callers elsewhere are refused in the same way. */
  givesSecrets?: boolean
  /** Its things stay with their daemon: in a team, errors of these codes name others that may have them. */
  perDaemon?: readonly ErrorCode[]
  metric?: MetricGroup
  /** Returns true for a dry run, which is excluded from its metric. */
  isTrial?: (input: { body: never }) => boolean
  /** Its `project` is not resolved to a key: it is a folder with code, or the use case resolves it. */
  keepsProject?: true
  /** Fields with ids of memories, where a unique beginning or end is accepted too (rules.md 4.4). */
  memoryIds?: readonly IdField[]
  /** Fields with ids of other rows, where parts are accepted too. */
  shortIds?: Readonly<Partial<Record<IdField, readonly ShortIdKind[]>>>
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  /** Set when smaller than the general limit. */
  maxBodyBytes?: number
  /** Body fields stored exactly as received; there, NUL and lone surrogates are allowed. */
  exactText?: readonly string[]
  /**
   * The use case reads the body as a stream: JSON lines or text matching `schema`, or bytes of any type with
   * `anyContentType`.
   */
  stream?: { contentType: string; schema: z.ZodType }
  /** The headers it reads, by lower-case name. */
  headers?: z.ZodType
  /** Also accepts multipart/form-data: files, and the fields of `body`. */
  form?: FormShape
  /** Body of a success (and of every status word of `outcomes`). */
  response: z.ZodType
  /** Meaning of the reply's `status` word (rules.md 4.5 to 4.8); a word missing here is a bug. */
  outcomes?: Outcomes
  /** HTTP status of a plain success, 200 by default. */
  success?: number
  /** A status that depends on the reply; undefined means `success`. */
  successFor?: (reply: never) => number | undefined
  /** Headers of a success, derived from its body. */
  replyHeaders?: (reply: never) => Readonly<Record<string, string>>
  /** Content type of the reply, JSON by default. */
  contentType?: string
  /** A content type that depends on the request; undefined means the default. */
  contentTypeFor?: (input: { query: never }) => string | undefined
}

/**
 * Declares one endpoint of the HTTP API; the daemon binds it, OpenAPI shows it and clients derive types from
 * it.
 */
export function endpoint<const E extends EndpointShape>(shape: E): E {
  return shape
}
