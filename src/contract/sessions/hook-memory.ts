import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import {
  type RecallBody,
  recall,
  recallBody,
  recallRow,
  remember,
  rememberBody,
  savesSummary,
} from '../memory/memory.js'
import { noOpFields, sessionFields } from './hook-body.js'

export const hookRemember = endpoint({
  method: 'POST',
  path: '/api/hooks/remember',
  summary: 'Save a memory from a hook of a session',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: rememberBody.extend(sessionFields),
  // No-ops save nothing and answer their flag alone.
  response: z.union([remember.response, z.strictObject(noOpFields)]),
})
export type HookRememberBody = z.infer<(typeof hookRemember)['body']>
export type HookRememberReply = z.infer<(typeof hookRemember)['response']>

export const hookRecall = endpoint({
  method: 'POST',
  path: '/api/hooks/recall',
  summary: 'Search memories from a hook of a session',
  permission: 'recall',
  permissionFor: ({ body }: { body: RecallBody }) => (savesSummary(body) ? 'remember' : undefined),
  mutates: savesSummary,
  metric: 'recall',
  body: recallBody.extend(sessionFields),
  /** `memories` mirrors `results`, for older harnesses. */
  response: recall.response.extend({ memories: z.array(recallRow), ...noOpFields }),
})
export type HookRecallBody = z.infer<(typeof hookRecall)['body']>
export type HookRecallReply = z.infer<(typeof hookRecall)['response']>
