import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { clampedInt, id, name, queryBoolean, queryInt } from '../../ground/fields.js'
import { agentQuery } from '../../memory/record.js'
import {
  artifactRecord,
  indexJob,
  indexJobStatuses,
  sourceHealth,
  sourceRecord,
  sourceStats,
} from './source-record.js'

const sourceParams = z.object({ sourceId: id })

export const listSources = endpoint({
  method: 'GET',
  path: '/api/sources',
  summary: 'The sources of an agent, oldest first',
  permission: 'documents',
  mutates: false,
  query: agentQuery.extend({
    /** Also those of other agents that a recall of this one finds something of. */
    readable: queryBoolean.default(false),
  }),
  response: z.object({ version: z.literal(1), sources: z.array(sourceRecord) }),
})

export const getSource = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId',
  summary: 'One source',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  query: agentQuery,
  response: sourceRecord,
})

export const removeSource = endpoint({
  method: 'DELETE',
  path: '/api/sources/:sourceId',
  summary: 'Forget a source and what was read of it; the source itself is not touched',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  query: agentQuery,
  response: z.object({
    source: sourceRecord,
    /** Artifacts that are gone by now. */
    purged: z.int(),
    /** The rest goes in the background, also after a restart. */
    pending: z.literal(true).optional(),
    /** What the kind keeps elsewhere is not cleaned up yet. */
    cleanupPending: z.literal(true).optional(),
  }),
  successFor: ({ pending }: { pending?: true }) => (pending ? 202 : undefined),
})

export const getSourceHealth = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/health',
  summary: 'The condition of a source',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  query: agentQuery,
  response: z.object({ source: sourceRecord, stats: sourceStats, health: sourceHealth }),
})

const jobReply = z.object({
  job: indexJob.extend({ sourceId: z.string(), status: z.enum(indexJobStatuses) }),
})

export const syncSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/sync',
  summary: 'Read a source again, in the background',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  query: agentQuery,
  /** `full` reads what looks unchanged too. */
  body: z.object({ full: z.boolean().nullish() }).nullish(),
  success: 202,
  response: jobReply,
})

export const pauseSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/pause',
  summary: 'Stop the reading of a source until it is resumed',
  permission: 'modify',
  mutates: false,
  params: sourceParams,
  query: agentQuery,
  success: 202,
  response: jobReply,
})

export const resumeSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/resume',
  summary: 'Go on with the reading of a source that is paused',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  query: agentQuery,
  success: 202,
  response: jobReply,
})

export const listArtifacts = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/artifacts',
  summary: 'What was read of a source, by path',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  query: agentQuery.extend({
    limit: queryInt({ min: 1, max: 500 }).default(50),
    offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
  }),
  response: z.object({
    artifacts: z.array(artifactRecord),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
})

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
  source_id: z.string(),
  title: z.string().nullable(),
  heading: z.string().nullable(),
  page: z.string().nullable(),
  /** Address or path. */
  sourcePath: z.string().nullable(),
  source_path: z.string().nullable(),
  /** Where people read an artifact. */
  url: z.string().nullable(),
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
