import { z } from 'zod'
import { memoryTypes } from '../ground/fields.js'
import { summaryBudgets, timeFacets } from '../memory/memory.js'

/**
 * Inputs and outputs of the MCP tools (mcp.md 4.9). Models read them in every conversation, so they contain
 * only what a model needs; the endpoints check lengths and formats.
 */
const type = z.enum(memoryTypes)
const tags = z.string().describe('comma-separated')
const importance = z.number().min(0).max(1)
const id = z.string().min(1).describe('memory id, or its last 8 characters')
const since = z.string().describe('ISO 8601 date or time')
const reason = z.string().min(1).describe('recorded in the history')

export const memorySearchInput = z
  .object({
    query: z.string().min(1).describe('a question or keywords'),
    limit: z.number().default(10),
    project: z.string().optional().describe('only this project; default: this and none'),
    branch: z.string().optional(),
    type: type.optional(),
    tags: tags.optional(),
    who: z.string().optional().describe('author'),
    since: since.optional(),
    until: since.optional(),
    agent_id: z.string().optional().describe('search as this agent'),
    time: z
      .object({
        start: since.optional(),
        end: since.optional(),
        facets: z.array(z.enum(timeFacets)).optional(),
        mode: z.enum(['auto', 'timeline', 'filter']).optional(),
      })
      .optional()
      .describe('time range; timeline: chronological; auto: preferred, not required'),
    scope: z
      .enum(['global', 'agent', 'session'])
      .optional()
      .describe(
        'global: includes shared memories; agent: memories of this agent; session: memories of session_key',
      ),
    session_key: z.string().optional().describe('this session; omits memories it was already shown'),
    include_recalled: z.boolean().optional().describe('include memories already shown'),
    keyword_query: z.string().optional().describe('different words for the keyword search'),
    pinned: z.boolean().optional(),
    importance_min: importance.optional(),
    min_score: importance.optional().describe('deprecated: importance_min'),
    score_min: z.number().min(0).max(1).optional().describe('omit weaker matches'),
    aggregate: z.boolean().optional().describe('add a summary of all results'),
    aggregate_budget: z.enum(summaryBudgets).optional().describe('its length, default small'),
    save_aggregate: z.boolean().optional().describe('store the summary, default true'),
  })
  .refine(({ scope, session_key }) => scope !== 'session' || session_key !== undefined, {
    path: ['session_key'],
    error: 'scope session needs a session_key',
  })

export const memoryFeedbackInput = z.object({
  session_key: z.string().min(1),
  ratings: z
    .record(z.string(), z.number().min(-1).max(1))
    .describe('memory id to rating: 1 helpful, 0 neutral, -1 harmful'),
})

const storeFields = z.object({
  content: z.string().min(1).describe('one self-contained statement with names, dates and reasons'),
  hints: z
    .array(z.string().trim().min(1))
    .min(1)
    .describe('1 to 5 other phrasings or questions that should find it'),
  type: type.optional(),
  importance: importance.optional().describe('default 0.8'),
  tags: tags.optional(),
  pinned: z.boolean().optional().describe('never loses weight with age'),
  transcript: z.string().optional().describe('source passage, kept as evidence'),
  structured: z.looseObject({}).optional().describe('facts as data, kept as evidence'),
  reviewAfter: z.string().optional().describe('ISO 8601 time for a review'),
})

/** Like `memory remember --hint`, `hint` is an alias of `hints`, and one text counts as a list of one. */
export const memoryStoreInput = z.preprocess(given => {
  const { hint, hints = hint, ...rest } = (given ?? {}) as Record<string, unknown>
  return { ...rest, hints: typeof hints === 'string' ? [hints] : hints }
}, storeFields)

export const memoryGetInput = z.object({ id })

export const memoryListInput = z.object({
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).max(10_000_000).default(0),
  type: type.optional(),
  project: z.string().optional().describe('only this project; default: this and none'),
  branch: z.string().optional(),
})

export const memoryModifyInput = z.object({
  id,
  reason,
  importance: importance.optional(),
  tags: tags.optional(),
  content: z.string().optional().describe('refused for saved memories, because their text is evidence'),
  type: type.optional().describe('also refused'),
})

export const memoryForgetInput = z.object({ id, reason })
export const memoryRecoverInput = z.object({ id, reason })
export const memoryHistoryInput = z.object({
  id,
  limit: z.int().min(1).max(1000).default(200),
  offset: z.int().min(0).max(10_000_000).default(0),
})

export const saveNoteInput = z.object({
  content: z.string().min(1).max(8000),
  title: z.string().optional(),
  tags: tags.optional(),
})

const memory = z.object({
  id: z.string(),
  content: z.string(),
  type: z.string(),
  tags: z.string(),
  created_at: z.string(),
})

export const memorySearchOutput = z.object({
  results: z.array(memory.extend({ score: z.number() })),
  count: z.int(),
  method: z.string(),
})

export const memoryStoreOutput = z.object({
  id: z.string(),
  type: z.string(),
  deduped: z.boolean(),
  safety: z.string(),
})

export const memoryGetOutput = memory.extend({ version: z.number(), safety: z.string() })

export const memoryListOutput = z.object({ memories: z.array(memory), total: z.number() })

export const memoryFeedbackOutput = z.object({
  ok: z.boolean(),
  recorded: z.number(),
  accepted: z.number(),
  rejected: z.number(),
  propagated: z.number(),
})

export const memoryChangeOutput = z.object({ id: z.string(), status: z.string() })

export const saveNoteOutput = z.object({ path: z.string() })

export const memoryHistoryOutput = z.object({
  id: z.string(),
  history: z.array(z.object({ event: z.string(), reason: z.string(), createdAt: z.string() })),
  nextOffset: z.number().optional(),
})

export const sessionBypassInput = z.object({
  session_key: z.string().min(1).describe('raw or session:<key>'),
  enabled: z.boolean(),
})
export const sessionBypassOutput = z.object({ key: z.string(), bypassed: z.boolean() })

export const sessionSearchInput = z.object({
  query: z.string().min(1),
  session_key: z.string().optional().describe('search only this session'),
  current_session_key: z.string().optional().describe('exclude this session'),
  agent_id: z.string().optional(),
  project: z.string().optional(),
  limit: z.number().default(10).describe('at most 20'),
})

export const sessionSearchOutput = z.object({
  query: z.string(),
  hits: z.array(
    z.object({
      sessionKey: z.string(),
      project: z.string().nullable(),
      updatedAt: z.string(),
      excerpt: z.string(),
      rank: z.number(),
    }),
  ),
  count: z.number(),
})
