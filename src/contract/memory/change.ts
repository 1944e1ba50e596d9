import { z } from 'zod'
import { endpoint, type Outcomes } from '../ground/endpoint.js'
import {
  clampedInt,
  id,
  importance,
  maxContentLength,
  memoryType,
  name,
  projectName,
  queryBoolean,
  queryInt,
  readableType,
  reason,
  statusWords,
  tags,
  timestamp,
  version,
} from '../ground/fields.js'
import { agentQuery, memoryParams } from './record.js'

/** Reasons for refusing a change of one memory (rules.md 4.5 to 4.8). */
const refusals = {
  not_found: [404, 'memory not found'],
  scope_violation: [403, 'the memory is outside the scope of this credential'],
  version_conflict: [409, 'the memory has changed: read it again and send its version as if_version'],
  duplicate_content_hash: [409, 'another memory has the same content or idempotency key'],
} as const satisfies Outcomes

const versions = { currentVersion: z.int().optional(), newVersion: z.int().optional() }

/** Common fields of all changes of one memory; each has its own permission and limit. */
const changeOfOne = {
  mutates: true,
  metric: 'mutate',
  params: memoryParams,
  memoryIds: ['params.id'],
  query: agentQuery,
} as const

function changeReply<O extends Outcomes>(outcomes: O) {
  return z.object({ id: z.string(), status: statusWords(outcomes), ...versions })
}

/**
 * Fields of a patch; a missing or null field is unchanged, except that null clears the tags (rules.md 4.6).
 */
const patchFields = z.object({
  content: z
    .string()
    .max(maxContentLength)
    .refine(text => text.trim() !== '', 'must not be empty')
    .nullish(),
  type: memoryType.nullish(),
  project: projectName.nullish(),
  tags: tags.nullish(),
  importance: importance.nullish(),
  pinned: z.boolean().nullish(),
  /** A time, or `never` (rules.md 1.4.1). */
  expiresAt: z.union([z.literal('never'), timestamp]).nullish(),
})

const nothingToChange = 'name what to change: content, type, project, tags, importance, pinned or expiresAt'
const names = (fields: z.infer<typeof patchFields>): boolean =>
  [fields.content, fields.type, fields.project, fields.importance, fields.pinned, fields.expiresAt].some(
    value => value != null,
  ) || fields.tags !== undefined

const patchOutcomes = {
  updated: [200],
  no_changes: [200],
  ...refusals,
  deleted: [409, 'the memory is forgotten: recover it before changing it'],
  episodic_content_immutable: [
    409,
    'content and type of saved evidence never change: save a new memory that supersedes this one',
  ],
} as const satisfies Outcomes
export type PatchStatus = keyof typeof patchOutcomes

const patchReply = changeReply(patchOutcomes).extend({
  contentChanged: z.boolean(),
  /** True when the memory has a vector now. */
  embedded: z.boolean(),
  /** The memory that already has the new content. */
  duplicateMemoryId: z.string().optional(),
})

export const patchMemory = endpoint({
  ...changeOfOne,
  method: 'PATCH',
  path: '/api/memory/:id',
  summary: 'Change tags, project, importance or pinning of a memory',
  permission: 'modify',
  bucket: 'modify',
  body: patchFields
    .extend({ reason, if_version: version.nullish(), changed_by: name.nullish() })
    .refine(names, nothingToChange),
  response: patchReply,
  outcomes: patchOutcomes,
})

/**
 * One patch of a batch (rules.md 4.8), validated separately, so that a faulty one does not stop the others.
 */
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
    .array(z.unknown().meta({ description: 'like PATCH /api/memory/:id, with id and who' }))
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
  results: z.array(
    patchReply.extend({
      // The status words of a patch, and one for an invalid patch.
      status: z.union([statusWords(patchOutcomes), z.literal('invalid_request')]),
      error: z.string().optional(),
    }),
  ),
})
export type ModifyReply = z.infer<typeof modifyReply>

export const modify = endpoint({
  method: 'POST',
  path: '/api/memory/modify',
  summary: 'Change up to 200 memories independently',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  metric: 'mutate',
  memoryIds: ['body.patches'],
  body: modifyBody,
  response: modifyReply,
})

const supersedeOutcomes = {
  superseded: [200],
  not_found: refusals.not_found,
  scope_violation: refusals.scope_violation,
  already_superseded: [409, 'another memory has already replaced this one'],
  supersede_cycle: [409, 'the replacement was itself replaced by this memory'],
} as const satisfies Outcomes
export type SupersedeStatus = keyof typeof supersedeOutcomes

export const supersedeMemory = endpoint({
  ...changeOfOne,
  method: 'POST',
  path: '/api/memories/:id/supersede',
  summary: 'Mark a memory as replaced by another',
  permission: 'modify',
  bucket: 'modify',
  memoryIds: ['params.id', 'body.supersededBy'],
  body: z.object({ supersededBy: id, reason }),
  response: changeReply(supersedeOutcomes).extend({
    supersededBy: z.string().optional(),
    supersededAt: z.string().nullish(),
  }),
  outcomes: supersedeOutcomes,
})

const recoverOutcomes = {
  recovered: [200],
  ...refusals,
  not_deleted: [409, 'the memory is not forgotten'],
  retention_expired: [409, 'the memory was forgotten more than 30 days ago and can no longer be recovered'],
} as const satisfies Outcomes
export type RecoveryStatus = keyof typeof recoverOutcomes

export const recoverMemory = endpoint({
  ...changeOfOne,
  method: 'POST',
  path: '/api/memory/:id/recover',
  summary: 'Recover a forgotten memory within 30 days',
  permission: 'recover',
  body: z.object({ reason, if_version: version.nullish() }),
  response: changeReply(recoverOutcomes).extend({ retentionDays: z.int() }),
  outcomes: recoverOutcomes,
})

export const recoverMemories = endpoint({
  method: 'POST',
  path: '/api/memory/recover',
  summary: 'Recover several forgotten memories within 30 days',
  permission: 'recover',
  mutates: true,
  metric: 'mutate',
  memoryIds: ['body.ids'],
  body: z.object({
    ids: z.array(id).min(1).max(200, 'a batch takes at most 200 ids'),
    reason,
    agentId: name.nullish(),
    agent_id: name.nullish(),
  }),
  response: z.object({
    requested: z.int(),
    recovered: z.int(),
    results: z.array(z.object({ id: z.string(), status: z.string() })),
  }),
})

/** Memories that one request of the caller forgot. */
const removal = z.object({
  /** Id of the request. */
  id: z.string(),
  at: z.string(),
  /** Until then they can be recovered. */
  until: z.string(),
  reason: z.string(),
  /** First the ones that were named, then summaries of them. */
  memories: z.array(z.object({ id: z.string(), type: z.string(), content: z.string() })),
})
export type Removal = z.infer<typeof removal>

export const listRemovals = endpoint({
  method: 'GET',
  path: '/api/memories/removals',
  summary: 'List what the caller forgot and can recover, newest first',
  permission: 'recover',
  mutates: false,
  query: agentQuery.extend({ limit: queryInt({ min: 1, max: 100 }).default(20) }),
  response: z.object({ removals: z.array(removal), count: z.int() }),
})

const deleteOutcomes = {
  deleted: [200],
  not_found: refusals.not_found,
  scope_violation: refusals.scope_violation,
  version_conflict: refusals.version_conflict,
  already_deleted: [409, 'the memory is already forgotten; use recover to restore it'],
  pinned_requires_force: [409, 'the memory is pinned: send force true to forget it anyway'],
  autonomous_force_denied: [403, 'only a person may force-forget a pinned memory'],
} as const satisfies Outcomes
export type RemovalStatus = keyof typeof deleteOutcomes

export const deleteMemory = endpoint({
  ...changeOfOne,
  method: 'DELETE',
  path: '/api/memory/:id',
  summary: 'Forget a memory (recoverable for 30 days)',
  permission: 'forget',
  bucket: 'forget',
  bucketFor: ({ query, body }: { query: { force?: boolean }; body?: { force?: boolean | null } | null }) =>
    (body?.force ?? query.force) ? 'forceDelete' : undefined,
  query: agentQuery.extend({
    reason: reason.optional(),
    force: queryBoolean.optional(),
    if_version: queryInt({ min: 1, max: 2_147_483_647 }).optional(),
  }),
  body: z
    .object({ reason: reason.nullish(), force: z.boolean().nullish(), if_version: version.nullish() })
    .nullish(),
  response: changeReply(deleteOutcomes),
  outcomes: deleteOutcomes,
})

export const tombstoneMemory = endpoint({
  ...changeOfOne,
  method: 'POST',
  path: '/api/memories/:id/tombstone',
  summary: 'Forget a memory even if it is pinned (recoverable for 30 days)',
  permission: 'forget',
  bucket: 'forceDelete',
  body: z.object({ reason, if_version: version.nullish() }),
  response: deleteMemory.response,
  outcomes: deleteOutcomes,
})

const forgetFilters = z.object({
  type: readableType.nullish(),
  tags: tags.nullish(),
  who: name.nullish(),
  source_type: name.nullish(),
  since: timestamp.nullish(),
  until: timestamp.nullish(),
})

/** Body of forget (rules.md 4.8). */
export const forgetBody = forgetFilters.extend({
  query: z.string().trim().min(1).max(100_000).nullish(),
  ids: z
    .array(id)
    .max(200, 'a batch takes at most 200 ids')
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
    results: z.array(deleteMemory.response),
  }),
])
export type ForgetReply = z.infer<typeof forgetReply>

export const forget = endpoint({
  method: 'POST',
  path: '/api/memory/forget',
  summary: 'Preview or forget several memories',
  permission: 'forget',
  mutates: (body: ForgetBody) => body.mode === 'execute',
  // A preview is not rate limited.
  bucketFor: ({ body }: { body: ForgetBody }) =>
    body.mode === 'preview' ? undefined : body.force ? 'forceDelete' : 'batchForget',
  metric: 'mutate',
  memoryIds: ['body.ids'],
  body: forgetBody,
  response: forgetReply,
})
