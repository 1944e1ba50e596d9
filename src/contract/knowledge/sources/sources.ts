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
  summary: 'List the sources of an agent, oldest first',
  permission: 'documents',
  mutates: false,
  query: agentQuery.extend({
    /** Includes sources of other agents that a recall of this one searches. */
    readable: queryBoolean.default(false),
  }),
  response: z.object({ version: z.literal(1), sources: z.array(sourceRecord) }),
})

export const getSource = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId',
  summary: 'Get a source',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  response: sourceRecord,
})

export const removeSource = endpoint({
  method: 'DELETE',
  path: '/api/sources/:sourceId',
  summary: 'Remove a source and its artifacts; the external place is not touched',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  response: z.object({
    source: sourceRecord,
    /** Artifacts purged so far. */
    purged: z.int(),
    /** The rest is purged in the background, also after a restart. */
    pending: z.literal(true).optional(),
    /** Data that the kind stores elsewhere is not deleted yet. */
    cleanupPending: z.literal(true).optional(),
  }),
  successFor: ({ pending }: { pending?: true }) => (pending ? 202 : undefined),
})

export const getSourceHealth = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/health',
  summary: 'Get the health of a source',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  response: z.object({ source: sourceRecord, stats: sourceStats, health: sourceHealth }),
})

const jobReply = z.object({
  job: indexJob.extend({ sourceId: z.string(), status: z.enum(indexJobStatuses) }),
})

export const syncSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/sync',
  summary: 'Sync a source in the background',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  /** `full` reads unchanged artifacts too. */
  body: z.object({ full: z.boolean().nullish() }).nullish(),
  success: 202,
  response: jobReply,
})

export const pauseSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/pause',
  summary: 'Pause the sync of a source',
  permission: 'modify',
  mutates: false,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  success: 202,
  response: jobReply,
})

export const resumeSource = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/resume',
  summary: 'Resume the sync of a source',
  permission: 'modify',
  mutates: true,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: agentQuery,
  success: 202,
  response: jobReply,
})

export const listArtifacts = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/artifacts',
  summary: 'List the artifacts of a source by path',
  permission: 'documents',
  mutates: false,
  params: sourceParams,
  shortIds: { 'params.sourceId': ['source'] },
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
  /** A source or document id. */
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
  /** Web address of an artifact for users. */
  url: z.string().nullable(),
  project: z.string().nullable(),
  createdAt: z.string(),
})
export type PassageSearchResult = z.infer<typeof found>

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
