import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { queryBoolean, queryInt } from '../ground/fields.js'
import { agentQuery, listedMemory } from './record.js'

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
