import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, queryBoolean } from '../ground/fields.js'
import { readPolicies } from '../memory/memory.js'

/** A user-chosen name, which appears in addresses and terminal tables. */
const chosenName = name.regex(
  /^[^\p{C}/\\]+$/u,
  'must not contain slashes, backslashes or control characters',
)

const readPolicy = z.enum(readPolicies)

const agent = z.object({
  id: z.string(),
  name: z.string(),
  /**
   * Memories it may read besides its own: none (`isolated`), global ones of all (`shared`) or of its group
   * (`group`).
   */
  read_policy: readPolicy,
  policy_group: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Agent = z.infer<typeof agent>

/** Number of rows a removal affects. */
const agentCounts = z.object({
  /** Memories it owns, including forgotten ones that can be recovered. */
  memories: z.int(),
  /** Memories that other agents have too; they pass to the next holder. */
  shared: z.int(),
  /** Memories that other agents share; a removal drops this agent's link to them. Counted up to 10,000. */
  held: z.int(),
  /** Memories archived by an earlier removal. */
  archived: z.int(),
  sessions: z.int(),
  transcripts: z.int(),
  summaries: z.int(),
  messages: z.int(),
  entities: z.int(),
  documents: z.int(),
  sources: z.int(),
})
export type AgentCounts = z.infer<typeof agentCounts>

const agentParams = z.object({ name })

export const listAgents = endpoint({
  method: 'GET',
  path: '/api/agents',
  summary: 'List agents by name',
  permission: 'recall',
  mutates: false,
  response: z.object({ agents: z.array(agent) }),
})

export const getAgent = endpoint({
  method: 'GET',
  path: '/api/agents/:name',
  summary: 'Get an agent, optionally with counts of its data',
  permission: 'recall',
  mutates: false,
  params: agentParams,
  query: z.object({ counts: queryBoolean.default(false) }),
  response: agent.extend({ counts: agentCounts.optional() }),
})

export const createAgent = endpoint({
  method: 'POST',
  path: '/api/agents',
  summary: 'Add an agent',
  permission: 'remember',
  mutates: true,
  body: z.object({
    name: chosenName,
    read_policy: readPolicy.nullish(),
    policy_group: chosenName.nullish(),
  }),
  success: 201,
  response: agent,
})
export type NewAgentBody = z.infer<typeof createAgent.body>

export const changeAgent = endpoint({
  method: 'PATCH',
  path: '/api/agents/:name',
  summary: 'Change the read policy of an agent; applies from its next request',
  permission: 'admin',
  mutates: true,
  params: agentParams,
  body: z
    .object({ read_policy: readPolicy.nullish(), policy_group: chosenName.nullish() })
    .refine(
      body => (body.read_policy ?? body.policy_group) != null || body.policy_group === null,
      'changes nothing: give read_policy or policy_group',
    ),
  response: agent,
})
export type AgentChange = z.infer<typeof changeAgent.body>

export const removeAgent = endpoint({
  method: 'DELETE',
  path: '/api/agents/:name',
  summary: 'Remove an agent; its memories are archived, or deleted permanently with purge',
  permission: 'admin',
  mutates: true,
  bucket: 'admin',
  params: agentParams,
  query: z.object({ purge: queryBoolean.default(false) }),
  response: z.object({
    success: z.literal(true),
    purged: z.boolean(),
    /** Memories archived or permanently deleted, without those that other agents still have. */
    memories: z.int(),
  }),
})
