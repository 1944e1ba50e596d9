import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, projectName, queryInt, reason, statusWords } from '../ground/fields.js'
import { evidenceQuote, versionStatuses } from './ontology-explain.js'
import { sourceKinds } from './ontology-operations.js'

/** The agent whose ontology is read. */
const whose = { agentId: name.optional(), agent_id: name.optional() }
const page = {
  limit: queryInt({ min: 1, max: 200 }).default(50),
  offset: queryInt({ min: 0, max: 100_000 }).default(0),
}
const paged = { count: z.int(), limit: z.int(), offset: z.int(), hasMore: z.boolean() }

const entity = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  /** Active aliases, without the name. */
  aliases: z.array(z.string()),
  pinned: z.boolean(),
  /** Memories that mention it; null for a reader who may not see all of them. */
  mentions: z.int().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Entity = z.infer<typeof entity>

const factRecord = z.object({
  /** Id of the version. */
  id: z.string(),
  aspect: z.string(),
  group: z.string(),
  claim: z.string(),
  kind: z.enum(['attribute', 'constraint']),
  value: z.string(),
  status: z.enum(versionStatuses),
  confidence: z.number(),
  validFrom: z.string().nullable(),
  validUntil: z.string().nullable(),
  project: z.string().nullable(),
})
export type FactRecord = z.infer<typeof factRecord>

const entityLink = z.object({
  id: z.string(),
  /** `to`: this entity, relation, other; `from`: the other way round. */
  direction: z.enum(['to', 'from']),
  relation: z.string(),
  entity: z.object({ id: z.string(), name: z.string(), type: z.string() }),
  confidence: z.number(),
  validFrom: z.string().nullable(),
  validUntil: z.string().nullable(),
})
export type EntityLink = z.infer<typeof entityLink>

export const listEntities = endpoint({
  method: 'GET',
  path: '/api/ontology/entities',
  summary: 'List entities, most recently changed first, optionally by name',
  permission: 'recall',
  mutates: false,
  query: z.object({
    /** The beginning of a name or alias. */
    q: name.optional(),
    ...page,
    ...whose,
    /** Without `q`; with it, entities are ordered by name. */
    sort: z.enum(['newest', 'oldest', 'changed']).default('changed'),
  }),
  response: z.object({ entities: z.array(entity), ...paged }),
})

export const getEntity = endpoint({
  method: 'GET',
  path: '/api/ontology/entities/:id',
  summary: 'Get an entity with its current facts and relations',
  permission: 'recall',
  mutates: false,
  /** Its id, name or an active alias. */
  params: z.object({ id: name }),
  shortIds: { 'params.id': ['entity'] },
  query: z.object(whose),
  response: z.object({
    entity,
    /** Ordered by aspect, group and claim. */
    claims: z.array(factRecord),
    links: z.array(entityLink),
    /** True when a limit cut something off. */
    truncated: z.boolean(),
  }),
})

const describedFact = z.object({
  /** Id of the version or the link. */
  id: z.string(),
  kind: z.enum(['attribute', 'constraint', 'relation']),
  /** Written as one reads it, for example `port: 7421`. */
  text: z.string(),
  status: z.enum(versionStatuses),
  confidence: z.number(),
  project: z.string().nullable(),
  /** When it became true, if a source says so. */
  since: z.string().nullable(),
  until: z.string().nullable(),
  /** When the oldest of its sources said it. */
  notedAt: z.string(),
  /** Earlier values, newest first. */
  former: z.array(z.object({ value: z.string(), until: z.string().nullable() })),
  sources: z.array(z.object({ kind: z.enum(sourceKinds), id: z.string(), quote: z.string() })),
})
export type DescribedFact = z.infer<typeof describedFact>

export const describeEntity = endpoint({
  method: 'GET',
  path: '/api/ontology/entities/:id/about',
  summary: 'Describe an entity: its most important facts by aspect, with sources',
  permission: 'recall',
  mutates: false,
  /** Its id, name or an active alias. */
  params: z.object({ id: name }),
  shortIds: { 'params.id': ['entity'] },
  query: z.object({
    /** Maximum facts, shared among the aspects. */
    limit: queryInt({ min: 1, max: 200 }).default(60),
    /** Only this aspect. */
    aspect: name.optional(),
    ...whose,
  }),
  response: z.object({
    entity,
    /** Most important aspects first. */
    groups: z.array(
      z.object({
        aspect: z.string(),
        facts: z.array(describedFact),
        /** Facts of this aspect beyond the limit. */
        more: z.int(),
      }),
    ),
    total: z.int(),
    /** The newest memories that mention it. */
    mentions: z.array(
      z.object({ id: z.string(), at: z.string(), text: z.string(), project: z.string().nullable() }),
    ),
    /** The projects of these facts and mentions; with more than one, each must be named. */
    projects: z.array(z.object({ key: z.string(), name: z.string() })),
    /** True when a limit of the whole entity cut something off. */
    truncated: z.boolean(),
  }),
})

const graphLink = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  relation: z.string(),
  confidence: z.number(),
})

export const getNeighbourhood = endpoint({
  method: 'GET',
  path: '/api/ontology/entities/:id/neighbourhood',
  summary: 'Get the neighbours of an entity and their relations',
  permission: 'recall',
  mutates: false,
  maxInFlight: 4,
  /** Its id, name or an active alias. */
  params: z.object({ id: name }),
  shortIds: { 'params.id': ['entity'] },
  query: z.object({
    /** Maximum number of links from the entity. */
    depth: queryInt({ min: 1, max: 2 }).default(1),
    /** Maximum entities, including this one. */
    limit: queryInt({ min: 1, max: 1000 }).default(200),
    ...whose,
  }),
  response: z.object({
    /** Its id. */
    root: z.string(),
    /** The root first, then by distance in links (`steps`). */
    nodes: z.array(z.object({ id: z.string(), name: z.string(), type: z.string(), steps: z.int() })),
    links: z.array(graphLink),
    /** True when a limit cut something off. */
    truncated: z.boolean(),
  }),
})

export const getGraph = endpoint({
  method: 'GET',
  path: '/api/ontology/graph',
  summary: 'Get all entities and the relations between them, most mentioned first',
  permission: 'recall',
  mutates: false,
  maxInFlight: 2,
  query: z.object({
    /** Maximum entities. */
    limit: queryInt({ min: 1, max: 5000 }).default(2000),
    /** Only what sources of this project say. */
    project: projectName.optional(),
    ...whose,
  }),
  response: z.object({
    nodes: z.array(entity.omit({ aliases: true, pinned: true })),
    links: z.array(graphLink),
    /** True when a limit cut something off. */
    truncated: z.boolean(),
  }),
})

export const claimsOfMemory = endpoint({
  method: 'GET',
  path: '/api/ontology/memories/:id/claims',
  memoryIds: ['params.id'],
  summary: 'List current and former facts from a memory with their quotes',
  permission: 'recall',
  mutates: false,
  params: z.object({ id }),
  query: z.object(whose),
  response: z.object({
    memoryId: z.string(),
    /** Newest first. */
    claims: z.array(
      factRecord.extend({
        entity: z.object({ id: z.string(), name: z.string(), type: z.string() }),
        quote: z.string(),
      }),
    ),
    /** True when a limit cut something off. */
    truncated: z.boolean(),
  }),
})

export const proposalStatuses = ['pending', 'blocked', 'shadow', 'rejected', 'applied'] as const
export type ProposalStatus = (typeof proposalStatuses)[number]

const proposal = z.object({
  id: z.string(),
  status: z.enum(proposalStatuses),
  operation: z.string(),
  payload: z.record(z.string(), z.unknown()),
  reason: z.string(),
  confidence: z.number(),
  project: z.string().nullable(),
  blockedReason: z.string().nullable(),
  contradictionRisk: z.boolean(),
  proposedBy: z.string(),
  createdAt: z.string(),
  decidedAt: z.string().nullable(),
  decidedBy: z.string().nullable(),
  decidedReason: z.string().nullable(),
  evidence: z.array(evidenceQuote),
  /** Names, slots or beginnings of memories for ids in the payload, as far as the reader may see them. */
  names: z.record(z.string(), z.string()),
  /** The present state it would change: a value, or the beginning of a memory. */
  before: z.string().nullable(),
})
export type Proposal = z.infer<typeof proposal>

export const listProposals = endpoint({
  method: 'GET',
  path: '/api/ontology/proposals',
  summary: 'List proposals, newest first',
  permission: 'recall',
  mutates: false,
  query: z.object({
    /** By default pending and blocked ones. */
    status: z.enum(proposalStatuses).optional(),
    ...page,
    ...whose,
  }),
  response: z.object({ proposals: z.array(proposal), ...paged }),
})

const decision = z.object({ reason, agentId: name.nullish(), agent_id: name.nullish() })

const decisionRefusals = {
  not_found: [404, 'proposal not found; memory review lists open ones'],
  already_decided: [409, 'this proposal has already been decided'],
} as const

const applyOutcomes = {
  applied: [200],
  deduplicated: [200],
  ...decisionRefusals,
  rejected: [409, 'this proposal can no longer be applied; see blockedReason'],
} as const

export const applyProposal = endpoint({
  method: 'POST',
  path: '/api/ontology/proposals/:id/apply',
  summary: 'Apply a proposal, even if it contradicts a current fact',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  params: z.object({ id }),
  shortIds: { 'params.id': ['proposal'] },
  body: decision,
  response: z.object({
    proposalId: z.string(),
    status: statusWords(applyOutcomes),
    /** Id of the thing created, changed or found. */
    id: z.string().optional(),
    blockedReason: z.string().optional(),
  }),
  outcomes: applyOutcomes,
})

const rejectOutcomes = { rejected: [200], ...decisionRefusals } as const

export const rejectProposal = endpoint({
  method: 'POST',
  path: '/api/ontology/proposals/:id/reject',
  summary: 'Reject a proposal',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  params: z.object({ id }),
  shortIds: { 'params.id': ['proposal'] },
  body: decision,
  response: z.object({ proposalId: z.string(), status: statusWords(rejectOutcomes) }),
  outcomes: rejectOutcomes,
})
