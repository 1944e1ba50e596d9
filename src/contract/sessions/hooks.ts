import { z } from 'zod'
import { usedSkillName } from '../agents/skill-names.js'
import { endpoint } from '../ground/endpoint.js'
import { name, projectName, timestamp } from '../ground/fields.js'
import {
  type RecallBody,
  recall,
  recallBody,
  recallRow,
  remember,
  rememberBody,
  savesSummary,
} from '../memory/memory.js'

/** The way a harness calls hooks: through its plugin, or through commands (rules.md 2.3). */
export const runtimePath = z.enum(['plugin', 'legacy'])
export type RuntimePath = z.infer<typeof runtimePath>

/** Fields of every hook (rules.md 4.10). */
export const sessionFields = {
  harness: z
    .string({ error: issue => (issue.input === undefined ? 'harness is required' : undefined) })
    .trim()
    .min(1)
    .max(255),
  sessionKey: name.nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
  runtimePath: runtimePath.nullish(),
  project: projectName.nullish(),
  /** Determines the project when `project` is absent. */
  cwd: z.string().min(1).max(4096).nullish(),
}

export const hookFields = z.object(sessionFields)
export type HookFields = z.infer<typeof hookFields>

/** Flags of a hook that does nothing: its session is bypassed, or its caller belongs to the service. */
export const noOpFields = { bypassed: z.literal(true).optional(), internal: z.literal(true).optional() }

/**
 * Unread messages of other agents, newest first; reading them here does not acknowledge them (rules.md 4.10).
 */
export const notifications = z.object({
  items: z.array(
    z.object({
      /** Stable id, used to acknowledge the message. */
      id: z.string(),
      type: z.string(),
      fromAgentId: z.string(),
      fromSessionKey: z.string().nullable(),
      broadcast: z.boolean(),
      project: z.string().nullable(),
      createdAt: z.string(),
      /** Truncated. */
      content: z.string(),
      truncated: z.boolean(),
    }),
  ),
  unreadCount: z.int(),
  /** More are unread than `items` contains. */
  hasMore: z.boolean(),
})
export type Notifications = z.infer<typeof notifications>

export const hookNotifications = endpoint({
  method: 'POST',
  path: '/api/hooks/notifications',
  summary: 'Get unread messages from other agents as hook context',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    hook: name,
    /**
     * The skill that the agent is about to use; it is counted (skills.md 6). An invalid name counts as
     * absent.
     */
    skill: usedSkillName.nullish().catch(undefined),
    /** `inject` has each message once, until the session's context is compacted. */
    once: z.boolean().optional(),
  }),
  response: z.object({ inject: z.string(), notifications: notifications.optional(), ...noOpFields }),
})
export type NotificationsBody = z.infer<typeof hookNotifications.body>
export type NotificationsReply = z.infer<typeof hookNotifications.response>

/** A memory as shown to a session; one that is `truncated` is read in full by its id (rules.md 2.4). */
const preview = z.object({
  id: z.string(),
  content: z.string(),
  /** The content with its lines, if it has several (rules.md 1.1.6). */
  verbatim: z.string().optional(),
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

/** Parts of `inject` omitted for the budget (rules.md 4.12); tokens are four characters each. */
const diagnostics = z.object({
  maxInjectTokens: z.int(),
  injectTokens: z.int(),
  /** Records that did not fit, by section. */
  omitted: z.object({
    memories: z.int(),
    continuity: z.int(),
    notifications: z.int(),
  }),
  /** Sections that were shortened, and those omitted completely. */
  truncatedSections: z.array(z.string()),
  omittedSections: z.array(z.string()),
  /** Contributions of plugins (plugin/contribution) too large for the budget; absent if there are none. */
  omittedContributions: z.array(z.string()).optional(),
  /** The budget does not even fit the stable declaration, so nothing is injected. */
  injectOmitted: z.boolean(),
})

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

export const subagentStart = endpoint({
  method: 'POST',
  path: '/api/hooks/subagent-start',
  summary: 'Get the rules, preferences and decisions that a sub-agent starts with',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    /** Lineage only. */
    harnessAgentId: name.nullish(),
  }),
  response: z.object({ inject: z.string(), memories: z.array(preview), ...noOpFields }),
})
export type SubagentBody = z.infer<typeof subagentStart.body>
export type SubagentReply = z.infer<typeof subagentStart.response>

export const sessionStart = endpoint({
  method: 'POST',
  path: '/api/hooks/session-start',
  summary: 'Open a session, claim its runtime path and get its starting context',
  permission: 'remember',
  // Works while mutations are frozen, because the tracker is not a memory (rules.md#kill-switch).
  mutates: false,
  body: hookFields.extend({
    /** Lineage only; it never decides whose data is read. */
    harnessAgentId: name.nullish(),
    parentSessionKey: name.nullish(),
    /**
     * Reason of the start; after `compact` and `clear` the context is empty and everything is injected again.
     */
    source: z.string().max(255).nullish(),
    /** Accepted but unused: the context of a session start does not depend on it. */
    context: z.string().max(1_000_000).nullish(),
    /** Renews the claim of a running session without building a context. */
    claimOnly: z.boolean().nullish(),
  }),
  response: z.union([
    z.strictObject({ sessionKnown: z.literal(true), bypassed: z.literal(true).optional() }),
    context,
  ]),
})
export type SessionStartBody = z.infer<typeof sessionStart.body>
export type SessionStartReply = z.infer<typeof sessionStart.response>

/** Longest text of a turn in UTF-16 units, limited by the 10 MiB body. */
const turn = z.string().max(10_485_760)

export const promptSubmit = endpoint({
  method: 'POST',
  path: '/api/hooks/user-prompt-submit',
  summary: 'Get the context for a prompt: the time and facts about the entities it names',
  permission: 'recall',
  mutates: false,
  // rules.md 4.10 and 8.
  maxInFlight: 8,
  exactText: ['transcript'],
  body: hookFields.extend({
    /** The turn without additions of the harness; `userPrompt` is the fallback. */
    userMessage: turn.nullish(),
    userPrompt: turn.nullish(),
    lastAssistantMessage: turn.nullish(),
    transcriptPath: z.string().min(1).max(4096).nullish(),
    transcript: z.unknown().optional(),
    /** Counts the prompt without building a context, for a caller that could not deliver it. */
    countOnly: z.boolean().nullish(),
  }),
  response: z.object({
    /** Date and time with UTC offset and IANA zone; never part of `inject`. */
    clockContext: z.string(),
    dynamicContext: z.string(),
    inject: z.string(),
    /** Number of attributes in `inject`. */
    memoryCount: z.int(),
    /** The source of `inject`; `low-signal` when no look-up was made. */
    engine: z.enum(['entity-context', 'recall', 'low-signal', 'none']),
    notifications: notifications.optional(),
    ...noOpFields,
  }),
})
export type PromptBody = z.infer<(typeof promptSubmit)['body']>
export type PromptReply = z.infer<(typeof promptSubmit)['response']>

export const hookRemember = endpoint({
  method: 'POST',
  path: '/api/hooks/remember',
  summary: 'Save a memory from a session hook',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  memoryIds: ['body.supersedes'],
  body: rememberBody.extend(sessionFields),
  // A no-op saves nothing and returns only its flag.
  response: z.union([remember.response, z.strictObject(noOpFields)]),
})
export type HookRememberBody = z.infer<(typeof hookRemember)['body']>
export type HookRememberReply = z.infer<(typeof hookRemember)['response']>

export const hookRecall = endpoint({
  method: 'POST',
  path: '/api/hooks/recall',
  summary: 'Search memories from a session hook',
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

/** Longest summary of a compaction, in UTF-16 units. */
const maxSummaryLength = 1_000_000

export const preCompaction = endpoint({
  method: 'POST',
  path: '/api/hooks/pre-compaction',
  summary: 'Get instructions for summarizing a session before its context is compacted',
  permission: 'recall',
  mutates: false,
  body: hookFields.extend({
    /** The harness's description of the session. */
    sessionContext: z.string().max(maxSummaryLength).nullish(),
    /** Messages that the compaction removes from the context. */
    messageCount: z.int().min(0).max(100_000_000).nullish(),
  }),
  response: z.object({ summaryPrompt: z.string(), guidelines: z.string(), ...noOpFields }),
})
export type PreCompactionBody = z.infer<(typeof preCompaction)['body']>
export type PreCompactionReply = z.infer<(typeof preCompaction)['response']>

const compactionReply = z.object({
  success: z.literal(true),
  /** The memory of the summary; null when nothing of it may be saved. */
  memoryId: z.string().nullable(),
  /** The new context epoch; null without a session, or when it could not begin. */
  contextEpoch: z.int().nullable(),
  /** True when recall keeps withholding what the session was shown before. */
  dedupeDegraded: z.literal(true).optional(),
  /** File of the summary, relative to the workspace. */
  path: z.string().optional(),
  ...noOpFields,
})
export type CompactionReply = z.infer<typeof compactionReply>

export const compactionComplete = endpoint({
  method: 'POST',
  path: '/api/hooks/compaction-complete',
  summary: 'Store a compaction summary and start the next context epoch of the session',
  permission: 'remember',
  mutates: true,
  metric: 'remember',
  body: hookFields.extend({
    summary: z
      .string({ error: issue => (issue.input === undefined ? 'summary is required' : undefined) })
      .max(maxSummaryLength)
      .refine(text => text.trim() !== '', 'must not be empty'),
    /** Time of the event when the call is late; a future time counts as now. */
    capturedAt: timestamp.nullish(),
  }),
  response: compactionReply,
})
export type CompactionBody = z.infer<(typeof compactionComplete)['body']>
