import { z } from 'zod'
import { memoryTypes } from '../ground/wire-names.js'
import { itemKinds, summaryBudgets, timeFacets } from '../memory/memory.js'
import { commandStatuses } from '../secrets/exec.js'

/**
 * Inputs and outputs of the MCP tools (mcp.md 4.9). Models read them in every conversation, so they contain
 * only what a model needs; the endpoints check lengths and formats.
 */
const type = z.enum(memoryTypes)
/** Lists the types only where a memory is saved, because their list is long. */
const knownType = type.meta({ lists: 'no choices' })
const tags = z.string().meta({ accepts: 'words' }).describe('comma-separated')
const importance = z.number().min(0).max(1)
const id = z.string().min(1).meta({ accepts: 'id' })
const session = z.string().min(1).meta({ accepts: 'key' })
const from = z.string().meta({ accepts: 'begin' })
const to = z.string().meta({ accepts: 'end' })
const reason = z.string().min(1)
const projectFilter = z.string().describe('default: this one and none')

export const memorySearchInput = z
  .object({
    query: z.string().min(1).describe('a question or keywords'),
    limit: z.number().default(10),
    project: projectFilter.optional(),
    branch: z.string().optional(),
    type: knownType.optional(),
    tags: tags.optional(),
    who: z.string().optional(),
    since: from.optional().describe('ISO 8601'),
    until: to.optional(),
    agent_id: z.string().optional(),
    time: z
      .object({
        start: from.optional(),
        end: to.optional(),
        facets: z.array(z.enum(timeFacets).meta({ lists: 'no choices' })).optional(),
        mode: z.enum(['auto', 'timeline', 'filter']).optional(),
      })
      .optional()
      .describe('auto: preferred, not required'),
    scope: z.enum(['global', 'agent', 'session']).optional().describe('agent, session: only theirs'),
    session_key: session.optional().describe('omits what it was shown'),
    include_recalled: z.boolean().optional(),
    keyword_query: z.string().optional(),
    pinned: z.boolean().optional(),
    importance_min: importance.optional(),
    min_score: importance.optional(),
    score_min: z.number().min(0).max(1).optional().describe('omit weaker matches'),
    aggregate: z.boolean().optional().describe('add a summary'),
    aggregate_budget: z.enum(summaryBudgets).meta({ lists: 'no choices' }).optional(),
    save_aggregate: z.boolean().optional(),
  })
  .refine(({ scope, session_key }) => scope !== 'session' || session_key !== undefined, {
    path: ['session_key'],
    error: 'scope session needs a session_key',
  })

export const searchAllInput = z.object({
  query: z.string().min(1),
  kinds: z.array(z.enum(itemKinds).meta({ lists: 'no choices' })).optional(),
  project: z.string().optional(),
  limit: z.number().default(10),
})

export const memoryFeedbackInput = z.object({
  session_key: session.optional().describe('default: this session'),
  ratings: z
    .record(z.string().meta({ accepts: 'id' }), z.number().min(-1).max(1))
    .describe('object of memory id: rating; 1 helpful, 0 neutral, -1 harmful'),
})

export const memoryStoreInput = z.object({
  content: z.string().min(1).describe('one statement that is clear by itself, with names, dates, reasons'),
  hints: z
    .array(z.string().trim().min(1))
    .optional()
    .describe('other phrasings or questions that should find it'),
  type: type.optional(),
  importance: importance.optional().describe('0 to 1'),
  tags: tags.optional(),
  pinned: z.boolean().optional().describe('never loses weight with age'),
  transcript: z.string().optional().describe('source passage'),
  structured: z.looseObject({}).optional().describe('facts as data'),
  reviewAfter: from.optional().describe('ISO 8601'),
})

export const memoryGetInput = z.object({ id })

const maxOffset = 10_000_000

export const memoryListInput = z.object({
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).max(maxOffset).default(0),
  type: knownType.optional(),
  project: projectFilter.optional(),
  branch: z.string().optional(),
})

export const memoryModifyInput = z.object({
  id,
  reason,
  importance: importance.optional(),
  tags: tags.optional(),
  content: z.string().optional().describe('like type, refused'),
  type: knownType.optional(),
})

export const memoryForgetInput = z.object({
  id,
  more_ids: z.array(id).max(49).optional(),
  reason,
})
export const memoryRecoverInput = z.object({ id, reason })
export const memoryHistoryInput = z.object({
  id,
  limit: z.int().min(1).max(1000).default(200),
  offset: z.int().min(0).max(maxOffset).default(0),
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

/** Further fields of the endpoint are included. */
export const searchAllOutput = z.looseObject({ total: z.number() })

export const memoryStoreOutput = z.object({
  id: z.string(),
  type: z.string(),
  deduped: z.boolean(),
  safety: z.string(),
})

export const memoryGetOutput = memory.extend({ version: z.number(), safety: z.string() })

export const memoryListOutput = z.object({ memories: z.array(memory), total: z.number() })

/** For the browser of memories, which only clients that show HTML have. */
export const memoryBrowseInput = z.object({
  query: z.string().optional().describe('a question or keywords; without it the newest'),
  project: projectFilter.optional(),
  limit: z.int().min(1).max(200).default(20),
})
export const memoryBrowseOutput = z.object({
  memories: z.array(
    memory.extend({ pinned: z.boolean(), project: z.string().nullable(), who: z.string().nullable() }),
  ),
  total: z.number(),
})
export const memoryPinInput = z.object({ id, pinned: z.boolean() })

export const memoryFeedbackOutput = z.object({
  ok: z.boolean(),
  recorded: z.number(),
  accepted: z.number(),
  rejected: z.number(),
  propagated: z.number(),
})

export const memoryChangeOutput = z.object({ id: z.string(), status: z.string() })

export const memoryForgetOutput = memoryChangeOutput.extend({
  /** Of `more_ids`. */
  kept: z.array(z.string()).optional(),
})

export const saveNoteOutput = z.object({ path: z.string() })

export const memoryHistoryOutput = z.object({
  id: z.string(),
  history: z.array(z.object({ event: z.string(), reason: z.string(), createdAt: z.string() })),
  nextOffset: z.number().optional(),
})

export const sessionBypassInput = z.object({
  session_key: session.describe('raw or session:<key>'),
  enabled: z.boolean(),
})
export const sessionBypassOutput = z.object({ key: z.string(), bypassed: z.boolean() })

export const sessionListInput = z.object({
  project: z.string().optional(),
  agent_id: z.string().optional(),
  limit: z.number().default(20),
})

/** Further fields of the endpoint are included. */
export const sessionListOutput = z.looseObject({
  sessions: z.array(z.looseObject({ key: z.string(), title: z.string().nullable() })),
  count: z.number(),
})

export const sessionSearchInput = z.object({
  query: z.string().min(1),
  session_key: session.optional().describe('only this session'),
  current_session_key: session.optional().describe('not this session'),
  agent_id: z.string().optional(),
  project: z.string().optional(),
  limit: z.number().default(10),
})

/** Further fields of the endpoint are included. */
export const sessionSearchOutput = z.looseObject({
  hits: z.array(z.looseObject({ sessionKey: z.string(), excerpt: z.string() })),
  count: z.number(),
})

export const secretListInput = z.object({})
export const secretListOutput = z.object({ secrets: z.array(z.string()) })

export const secretExecInput = z.object({
  command: z.string().min(1).describe('shell command line; use a secret as $VARIABLE'),
  secrets: z
    .record(z.string(), z.string())
    .describe('object of variable: secret, such as { "KEY": "API_KEY" }'),
  timeoutSeconds: z.number().min(1).max(1800).default(300),
})
export const secretExecOutput = z.object({
  id: z.string(),
  status: z.string(),
  timeoutMs: z.number(),
  /** The folder in which it runs. */
  cwd: z.string(),
})

export const secretExecStatusInput = z.object({
  jobId: z.string().min(1).meta({ accepts: 'id' }),
})
export const secretExecStatusOutput = z.object({
  id: z.string(),
  status: z.enum(commandStatuses),
  error: z.string().optional(),
  result: z
    .object({
      stdout: z.string(),
      stderr: z.string(),
      code: z.number(),
      timedOut: z.boolean(),
      truncated: z.object({ stdout: z.number(), stderr: z.number() }),
      durationMs: z.number(),
    })
    .optional(),
})
