import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import {
  clampedInt,
  id,
  name,
  queryBoolean,
  queryInt,
  queryNumber,
  readableType,
  tags,
  timestamp,
} from '../ground/fields.js'
import { readPolicies, recall } from './memory.js'
import { agentQuery, listedMemory } from './record.js'

const searchText = z.string().max(100_000)

const types = z.union([readableType, z.array(readableType).min(1).max(9)]).optional()

/** Recall filters as query parameters (recall.md 1.3.3 and 1.3.4). */
const filterQuery = agentQuery.extend({
  type: types,
  tags: tags.optional(),
  who: name.optional(),
  pinned: queryBoolean.optional(),
  importance_min: queryNumber({ min: 0, max: 1 }).optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
  project: z.string().trim().min(1).max(4096).optional(),
  scope: name.optional(),
  branch: name.optional(),
})

export const recallByGet = endpoint({
  method: 'GET',
  path: '/api/memory/search',
  summary: 'Search memories with keyword and semantic search (GET)',
  permission: 'recall',
  mutates: false,
  metric: 'recall',
  query: filterQuery.extend({
    q: searchText.optional(),
    query: searchText.optional(),
    keywordQuery: searchText.optional(),
    limit: z
      .string()
      .regex(/^-?\d{1,15}$/, 'must be a whole number')
      .transform(Number)
      .pipe(clampedInt({ min: 1, max: 100 }))
      .optional(),
    score_min: queryNumber({ min: 0, max: 1 }).optional(),
    explain: queryBoolean.optional(),
    readPolicy: z.enum(readPolicies).optional(),
    policyGroup: name.optional(),
  }),
  response: recall.response,
})

/** A search result; `score` is BM25 or a cosine, absent for filters only. */
const foundMemory = listedMemory.extend({ project: z.string().nullable(), score: z.number().optional() })
export type MemorySearchResult = z.infer<typeof foundMemory>

export const searchMemories = endpoint({
  method: 'GET',
  path: '/memory/search',
  summary: 'Search memories by keywords and filters only',
  permission: 'recall',
  mutates: false,
  query: filterQuery.extend({
    q: searchText.optional(),
    limit: queryInt({ min: 1, max: 500 }).optional(),
    distinct: z.literal('who', { error: 'must be who' }).optional(),
  }),
  response: z.union([z.object({ results: z.array(foundMemory) }), z.object({ values: z.array(z.string()) })]),
})
export type SearchQuery = z.infer<typeof searchMemories.query>
export type SearchReply = z.infer<typeof searchMemories.response>

export const similarMemories = endpoint({
  method: 'GET',
  path: '/memory/similar',
  summary: 'List the memories closest in meaning to one memory',
  permission: 'recall',
  mutates: false,
  memoryIds: ['query.id'],
  query: agentQuery.extend({
    id,
    k: queryInt({ min: 1, max: 100 }).default(10),
    type: types,
  }),
  response: z.object({ results: z.array(foundMemory.required({ score: true })) }),
})
export type SimilarQuery = z.infer<typeof similarMemories.query>
export type SimilarReply = z.infer<typeof similarMemories.response>

const memoryVector = listedMemory.extend({
  source_id: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  dimensions: z.int(),
  /** Unit length; present when `vectors` is true. */
  vector: z.array(z.number()).optional(),
})
export type MemoryVector = z.infer<typeof memoryVector>

export const exportVectors = endpoint({
  method: 'GET',
  path: '/api/embeddings',
  summary: 'List memories with a vector, newest first, optionally including the vector',
  permission: 'recall',
  mutates: false,
  query: agentQuery.extend({
    limit: queryInt({ min: 1, max: 5000 }).default(600),
    offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
    vectors: queryBoolean.default(false),
  }),
  response: z.object({
    embeddings: z.array(memoryVector),
    count: z.int(),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
  }),
})
export type VectorsQuery = z.infer<typeof exportVectors.query>

export const embedderStatus = endpoint({
  method: 'GET',
  path: '/api/embeddings/status',
  summary: 'Get the embedding provider and whether it responds',
  permission: 'recall',
  mutates: false,
  response: z.object({
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable(),
    available: z.boolean(),
    error: z.string().optional(),
    checkedAt: z.string(),
  }),
})
