import { z } from 'zod'
import { endpoint } from './endpoint.js'
import {
  clampedInt,
  id,
  memoryType,
  name,
  queryBoolean,
  queryInt,
  reason,
  tags,
  timestamp,
  version,
} from './fields.js'
import { agentQuery, memoryParams } from './memory-record.js'

const changeReply = z.object({
  id: z.string(),
  status: z.string(),
  currentVersion: z.int().optional(),
  newVersion: z.int().optional(),
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
    already_deleted: 409,
    version_conflict: 409,
    pinned_requires_force: 409,
    autonomous_force_denied: 403,
  },
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
  ids: z.array(id).min(1).max(10_000).nullish(),
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
