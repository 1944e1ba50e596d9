import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import {
  clampedInt,
  id,
  importance,
  maxContentLength,
  memoryType,
  name,
  queryBoolean,
  queryInt,
  reason,
  tags,
  timestamp,
  version,
} from '../ground/fields.js'
import { agentQuery, memoryParams } from './record.js'

const changeReply = z.object({
  id: z.string(),
  status: z.string(),
  currentVersion: z.int().optional(),
  newVersion: z.int().optional(),
})

/** What a patch may change; a missing or null field stays as it is, except that null clears the tags (spec 1, 4.6). */
const patchFields = z.object({
  content: z
    .string()
    .max(maxContentLength)
    .refine(text => text.trim() !== '', 'content must not be empty')
    .nullish(),
  type: memoryType.nullish(),
  tags: tags.nullish(),
  importance: importance.nullish(),
  pinned: z.boolean().nullish(),
})

const nothingToChange = 'name what to change: content, type, tags, importance or pinned'
const names = (fields: z.infer<typeof patchFields>): boolean =>
  [fields.content, fields.type, fields.importance, fields.pinned].some(value => value != null) ||
  fields.tags !== undefined

const patchReply = changeReply.extend({
  contentChanged: z.boolean(),
  /** Whether the memory has a vector now. */
  embedded: z.boolean(),
  /** The memory that holds the new content already. */
  duplicateMemoryId: z.string().optional(),
})

export const patchMemory = endpoint({
  method: 'PATCH',
  path: '/api/memory/:id',
  summary: 'Change tags, importance or pinning of a memory',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery,
  body: patchFields
    .extend({ reason, if_version: version.nullish(), changed_by: name.nullish() })
    .refine(names, nothingToChange),
  response: patchReply,
  outcomes: {
    updated: 200,
    no_changes: 200,
    not_found: 404,
    scope_violation: 403,
    deleted: 409,
    version_conflict: 409,
    duplicate_content_hash: 409,
    episodic_content_immutable: 409,
  },
})

/** One patch of a batch (spec 1, 4.8). It is checked by itself, so that a faulty one does not stop the others. */
export const modifyPatch = patchFields
  .extend({
    id,
    who: name.nullish(),
    reason: reason.nullish(),
    if_version: version.nullish(),
    changed_by: name.nullish(),
  })
  .refine(patch => names(patch) || patch.who != null, `${nothingToChange.replace(' or', ',')} or who`)
export type ModifyPatch = z.infer<typeof modifyPatch>

const modifyBody = z.object({
  patches: z
    .array(z.unknown().meta({ description: 'see PATCH /api/memory/:id; with id and who' }))
    .min(1)
    .max(200),
  reason: reason.nullish(),
  changed_by: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
})
export type ModifyBody = z.infer<typeof modifyBody>

const modifyReply = z.object({
  total: z.int(),
  updated: z.int(),
  results: z.array(patchReply.extend({ error: z.string().optional() })),
})
export type ModifyReply = z.infer<typeof modifyReply>

export const modify = endpoint({
  method: 'POST',
  path: '/api/memory/modify',
  summary: 'Change up to 200 memories, each by itself',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  metric: 'mutate',
  body: modifyBody,
  response: modifyReply,
})

export const supersedeMemory = endpoint({
  method: 'POST',
  path: '/api/memories/:id/supersede',
  summary: 'Mark a memory as replaced by another',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery,
  body: z.object({ supersededBy: id, reason }),
  response: changeReply.extend({
    supersededBy: z.string().optional(),
    supersededAt: z.string().nullish(),
  }),
  outcomes: {
    superseded: 200,
    not_found: 404,
    scope_violation: 403,
    already_superseded: 409,
    supersede_cycle: 409,
  },
})

export const recoverMemory = endpoint({
  method: 'POST',
  path: '/api/memory/:id/recover',
  summary: 'Bring a forgotten memory back within 30 days',
  permission: 'recover',
  mutates: true,
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery,
  body: z.object({ reason, if_version: version.nullish() }),
  response: changeReply.extend({ retentionDays: z.int() }),
  outcomes: {
    recovered: 200,
    not_found: 404,
    scope_violation: 403,
    not_deleted: 409,
    retention_expired: 409,
    version_conflict: 409,
    duplicate_content_hash: 409,
  },
})

export const deleteMemory = endpoint({
  method: 'DELETE',
  path: '/api/memory/:id',
  summary: 'Forget one memory (recoverable for 30 days)',
  permission: 'forget',
  mutates: true,
  bucket: 'forget',
  bucketFor: ({ query, body }: { query: { force?: boolean }; body?: { force?: boolean | null } | null }) =>
    (body?.force ?? query.force) ? 'forceDelete' : undefined,
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery.extend({
    reason: reason.optional(),
    force: queryBoolean.optional(),
    if_version: queryInt({ min: 1, max: 2_147_483_647 }).optional(),
  }),
  body: z
    .object({ reason: reason.nullish(), force: z.boolean().nullish(), if_version: version.nullish() })
    .nullish(),
  response: changeReply,
  outcomes: {
    deleted: 200,
    not_found: 404,
    scope_violation: 403,
    already_deleted: 409,
    version_conflict: 409,
    pinned_requires_force: 409,
    autonomous_force_denied: 403,
  },
})

export const tombstoneMemory = endpoint({
  method: 'POST',
  path: '/api/memories/:id/tombstone',
  summary: 'Forget one memory even if it is pinned (recoverable for 30 days)',
  permission: 'forget',
  mutates: true,
  bucket: 'forceDelete',
  metric: 'mutate',
  params: memoryParams,
  query: agentQuery,
  body: z.object({ reason, if_version: version.nullish() }),
  response: changeReply,
  outcomes: deleteMemory.outcomes,
})

const forgetFilters = z.object({
  type: memoryType.nullish(),
  tags: tags.nullish(),
  who: name.nullish(),
  source_type: name.nullish(),
  since: timestamp.nullish(),
  until: timestamp.nullish(),
})

/** Body of forget (spec 1, 4.8). */
export const forgetBody = forgetFilters.extend({
  query: z.string().trim().min(1).max(100_000).nullish(),
  ids: z
    .array(id)
    .max(10_000)
    .nullish()
    .transform(ids => (ids?.length ? ids : undefined)),
  mode: z.enum(['preview', 'execute'], { error: 'must be preview or execute' }),
  limit: clampedInt({ min: 1, max: 200 }).nullish(),
  project: z.string().trim().min(1).max(4096).nullish(),
  scope: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  reason: reason.nullish(),
  force: z.boolean().default(false),
  confirm_token: z.string().max(500).nullish(),
  if_version: z.unknown().optional(),
})
export type ForgetBody = z.infer<typeof forgetBody>

const forgetCandidate = z.object({
  id: z.string(),
  score: z.number(),
  pinned: z.int(),
  version: z.int(),
  content: z.string(),
  type: z.string(),
  tags: z.string(),
  created_at: z.string(),
})

const forgetReply = z.union([
  z.object({
    mode: z.literal('preview'),
    count: z.int(),
    requiresConfirm: z.boolean(),
    confirmToken: z.string(),
    candidates: z.array(forgetCandidate),
  }),
  z.object({
    mode: z.literal('execute'),
    requested: z.int(),
    deleted: z.int(),
    results: z.array(changeReply),
  }),
])
export type ForgetReply = z.infer<typeof forgetReply>

export const forget = endpoint({
  method: 'POST',
  path: '/api/memory/forget',
  summary: 'Preview or forget several memories',
  permission: 'forget',
  mutates: (body: ForgetBody) => body.mode === 'execute',
  bucket: 'batchForget',
  metric: 'mutate',
  body: forgetBody,
  response: forgetReply,
})
