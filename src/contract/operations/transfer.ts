import { z } from 'zod'
import { endpoint, linesContentType } from '../ground/endpoint.js'
import {
  id,
  importance,
  maxContentLength,
  memoryType,
  name,
  queryBoolean,
  queryInt,
  queryNumber,
  tags,
  timestamp,
  version,
} from '../ground/fields.js'
import { readPolicies } from '../memory/memory.js'
import { agentQuery } from '../memory/record.js'

export const exportFormat = 'memory-service-export'
/** Version 2 adds `holders`, which older releases would silently lose; a file without them has version 1. */
export const exportVersions = [1, 2] as const

/** Longest body of an import (rules.md#conventions). */
export const maxImportBytes = 256 * 1024 * 1024

const path = z.string().trim().min(1).max(4096)
const flag = z.union([z.literal(0), z.literal(1)])
const content = z.string().max(maxContentLength)

/** First line, which identifies the file. */
const header = z.object({
  kind: z.literal('header'),
  format: z.literal(exportFormat, { error: `must be ${exportFormat}` }),
  version: z.literal(exportVersions, {
    error: `must be ${exportVersions.join(' or ')}, the versions this release supports`,
  }),
  exportedAt: timestamp.optional(),
  /** Memories selected when the export began. */
  memories: z.int().min(0).optional(),
})

/** An agent with its read policy. */
const agent = z.object({
  kind: z.literal('agent'),
  id: name,
  name,
  read_policy: z.enum(readPolicies),
  policy_group: name.nullable(),
  created_at: timestamp,
})

const visibility = z.enum(['global', 'private', 'archived'])

/** A holder other than the agent, project and scope in the memory's own fields (rules.md#holders). */
const holder = z.object({
  agent_id: name,
  project: path.nullable().default(null),
  scope: name.nullable().default(null),
  visibility: visibility.default('global'),
  held_at: timestamp.optional(),
})

/** A stored memory, without what can be derived (hash, vector, safety verdict). */
const memoryFields = z.object({
  kind: z.literal('memory'),
  id,
  content: content.refine(text => text.trim() !== '', 'must not be empty'),
  type: memoryType,
  importance,
  tags: tags.default([]),
  pinned: flag.default(0),
  who: name.nullish(),
  source_id: z.string().trim().min(1).max(1000).nullish(),
  source_type: name.nullish(),
  source_path: path.nullish(),
  runtime_path: path.nullish(),
  idempotency_key: z.string().trim().min(1).max(1000).nullish(),
  project: path.nullish(),
  scope: name.nullish(),
  session_id: name.nullish(),
  confidence: z.number().min(0).max(1).nullish(),
  access_count: z.int().min(0).default(0),
  last_accessed: timestamp.nullish(),
  is_deleted: flag.default(0),
  deleted_at: timestamp.nullish(),
  extraction_status: name.default('none'),
  version: version.default(1),
  created_at: timestamp,
  updated_at: timestamp.optional(),
  updated_by: name.default('import'),
  memory_kind: name.default('episodic'),
  agent_id: name.default('default'),
  visibility: visibility.default('global'),
  holders: z.array(holder).max(10_000).optional(),
  superseded_by: id.nullish(),
  superseded_at: timestamp.nullish(),
  superseded_reason: z.string().max(10_000).nullish(),
  occurred_at: timestamp.nullish(),
  observed_at: timestamp.nullish(),
  source_created_at: timestamp.nullish(),
  valid_from: timestamp.nullish(),
  valid_until: timestamp.nullish(),
  review_after: timestamp.nullish(),
  expires_at: timestamp.nullish(),
  branch: name.nullish(),
  commit_id: name.nullish(),
  /** White space that the content lacks (rules.md 1.1.6). */
  layout: content.nullish(),
  structured: z.looseObject({}).nullish(),
  hints: z.array(z.string().min(1).max(2000)).max(50).default([]),
})
const memory = memoryFields
  .refine(row => (row.is_deleted === 1) === (row.deleted_at != null), {
    path: ['deleted_at'],
    error: 'must be given exactly when is_deleted is 1',
  })
  .refine(row => (row.superseded_by == null) === (row.superseded_at == null), {
    path: ['superseded_at'],
    error: 'must be given exactly when superseded_by is',
  })
  .refine(row => !row.valid_from || !row.valid_until || row.valid_until > row.valid_from, {
    path: ['valid_until'],
    error: 'must be after valid_from',
  })
export type TransferredMemory = z.infer<typeof memory>

/** A change of the memory above it; a missing text is that memory's content, null is none (rules.md 2.2). */
const event = z.object({
  kind: z.literal('event'),
  id,
  memoryId: id,
  event: z.enum(['created', 'modified', 'deleted', 'recovered', 'none']),
  oldContent: content.nullable().optional(),
  newContent: content.nullable().optional(),
  changedBy: name,
  actorType: name,
  reason: z.string().max(10_000),
  metadata: z.unknown().optional(),
  createdAt: timestamp,
  sessionId: name.nullish(),
  requestId: name.nullish(),
})
export type TransferredEvent = z.infer<typeof event>

/** Last line; a file without it is truncated. */
const end = z.object({ kind: z.literal('end'), memories: z.int().min(0), events: z.int().min(0) })

/** One line of an export: a header, the agents, each memory followed by its events, an end. */
export const transferLine = z.discriminatedUnion('kind', [header, agent, memory, event, end])
export type TransferLine = z.infer<typeof transferLine>
/** A line before parsing. */
export type TransferLineInput = z.input<typeof transferLine>

const exportQuery = agentQuery.extend({
  deleted: queryBoolean.default(false),
  type: memoryType.optional(),
  tags: tags.optional(),
  who: name.optional(),
  project: path.optional(),
  scope: name.optional(),
  pinned: queryBoolean.optional(),
  importance_min: queryNumber({ min: 0, max: 1 }).optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
})
export type ExportQuery = z.infer<typeof exportQuery>

/** Exports everything of every agent; with an agent given, only what that agent may read. */
export const exportMemories = endpoint({
  method: 'GET',
  path: '/api/export',
  summary: 'Export memories with ids, history and timestamps as JSON Lines, ordered by id',
  permission: 'admin',
  mutates: false,
  bucket: 'admin',
  query: exportQuery,
  response: transferLine,
  contentType: linesContentType,
})

const importQuery = z.object({
  /** Validates every line without writing. */
  dryRun: queryBoolean.default(false),
  /** Offset of the line numbers in messages, for a part of a larger file. */
  lineOffset: queryInt({ min: 0, max: 1_000_000_000 }).default(0),
})
export type ImportQuery = z.infer<typeof importQuery>

const importReply = z.object({
  dryRun: z.boolean(),
  /** Valid memories in the file; each is imported, skipped or a duplicate. */
  memories: z.int(),
  imported: z.int(),
  /** Memories whose id already exists; they are unchanged. */
  skipped: z.int(),
  /** Memories whose content or idempotency key a live memory already has. */
  duplicates: z.int(),
  /** The first duplicates. */
  duplicateOf: z.array(z.object({ line: z.int(), id: z.string(), existingId: z.string() })),
  /** Imported memories that the safety policy excludes from recall. */
  unsafe: z.int(),
  events: z.int(),
  /** False when the file has no end line and is probably truncated. */
  complete: z.boolean(),
  /** Faulty lines; only they are skipped, together with the history of a faulty memory. */
  faulty: z.int(),
  /** The first faulty lines. */
  faults: z.array(z.object({ line: z.int(), message: z.string() })),
})
export type ImportReply = z.infer<typeof importReply>

/**
 * Skips and reports faulty lines and stores the rest. Sending the corrected file again adds the skipped
 * lines, since existing ones are skipped.
 */
export const importMemories = endpoint({
  method: 'POST',
  path: '/api/import',
  summary: 'Restore memories from an export',
  permission: 'admin',
  mutates: (_body: unknown, query: ImportQuery) => !query.dryRun,
  query: importQuery,
  stream: { contentType: linesContentType, schema: transferLine },
  response: importReply,
})
