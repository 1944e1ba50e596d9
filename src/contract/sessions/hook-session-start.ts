import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name } from '../ground/fields.js'
import { hookFields, noOpFields } from './hook-body.js'
import { notifications } from './hook-notifications.js'

/** A memory as a session is shown it: one that is `truncated` is read in full by its id (rules.md 2.4). */
const preview = z.object({
  id: z.string(),
  content: z.string(),
  type: z.string(),
  importance: z.number(),
  created_at: z.string(),
  tags: z.string(),
  project: z.string().nullable(),
  source_type: z.string().nullable(),
  source_id: z.string().nullable(),
  truncated: z.boolean(),
})
export type MemoryPreview = z.infer<typeof preview>

/** What the budget left out of `inject` (rules.md 4.12); tokens are four characters each. */
const diagnostics = z.object({
  maxInjectTokens: z.int(),
  injectTokens: z.int(),
  /** Records that did not fit, by section. */
  omitted: z.object({
    memories: z.int(),
    continuity: z.int(),
    notifications: z.int(),
  }),
  /** Sections that are shortened, and those that are not there at all for want of room. */
  truncatedSections: z.array(z.string()),
  omittedSections: z.array(z.string()),
  /** What plugins wanted to add, as plugin/contribution, and that took too much of the budget; absent when nothing did. */
  omittedContributions: z.array(z.string()).optional(),
  /** The budget does not even hold the stable declaration: nothing is injected. */
  injectOmitted: z.boolean(),
})
export type InjectDiagnostics = z.infer<typeof diagnostics>

const context = z.object({
  identity: z.object({ name: z.string(), description: z.string() }),
  memories: z.array(preview),
  recentContext: z.string(),
  stableSystemPrompt: z.string(),
  dynamicContext: z.string(),
  inject: z.string(),
  contextHash: z.string(),
  contextVersion: z.literal(1),
  notifications: notifications.optional(),
  diagnostics,
  ...noOpFields,
})
export type SessionContext = z.infer<typeof context>

export const sessionStart = endpoint({
  method: 'POST',
  path: '/api/hooks/session-start',
  summary: 'Open a session: claim its runtime path and get the context it starts with',
  permission: 'remember',
  // The tracker is no memory: a session starts while mutations are frozen (rules.md#kill-switch).
  mutates: false,
  body: hookFields.extend({
    /** Lineage only: never decides whose data is read. */
    harnessAgentId: name.nullish(),
    parentSessionKey: name.nullish(),
    /** Why it starts: after `compact` and `clear` nothing of before is in its context, and it is given everything again. */
    source: z.string().max(255).nullish(),
    /** Taken and not used: the score of memories, and what a session starts with, are laid down without it. */
    context: z.string().max(1_000_000).nullish(),
    /** Renews the claim of a running session and builds no context. */
    claimOnly: z.boolean().nullish(),
  }),
  response: z.union([
    z.strictObject({ sessionKnown: z.literal(true), bypassed: z.literal(true).optional() }),
    context,
  ]),
})
export type SessionStartBody = z.infer<typeof sessionStart.body>
export type SessionStartReply = z.infer<typeof sessionStart.response>
