import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, name } from '../ground/fields.js'

const searchBody = z.object({
  query: z
    .string({ error: issue => (issue.input === undefined ? 'query is required' : undefined) })
    .trim()
    .min(1)
    .max(10_000),
  limit: clampedInt({ min: 1, max: 100 }).default(10),
  /** One source, or one document. */
  sourceId: z.string().trim().min(1).max(1000).nullish(),
  /** `document`, or a kind of source. */
  kind: name.nullish(),
  project: z.string().trim().min(1).max(4096).nullish(),
  agentId: name.nullish(),
  agent_id: name.nullish(),
})
export type SearchSourcesBody = z.infer<typeof searchBody>

const found = z.object({
  id: z.string(),
  content: z.string(),
  score: z.number(),
  kind: z.string(),
  sourceId: z.string(),
  title: z.string().nullable(),
  heading: z.string().nullable(),
  page: z.string().nullable(),
  /** Address or path. */
  sourcePath: z.string().nullable(),
  project: z.string().nullable(),
  createdAt: z.string(),
})
export type FoundPassage = z.infer<typeof found>

export const searchSources = endpoint({
  method: 'POST',
  path: '/api/sources/search',
  summary: 'Search documents and sources, without memories',
  permission: 'documents',
  mutates: false,
  metric: 'recall',
  body: searchBody,
  response: z.object({ results: z.array(found), count: z.int() }),
})
