import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, maxContentLength, name, queryInt, reason } from '../ground/fields.js'
import { agentQuery } from '../memory/record.js'

/** The lifecycle of a document (documents.md#lifecycle). */
export const documentStatuses = [
  'queued',
  'extracting',
  'chunking',
  'embedding',
  'indexing',
  'done',
  'failed',
  'deleted',
] as const
export type DocumentStatus = (typeof documentStatuses)[number]

export const documentSources = ['text', 'url', 'file'] as const

const project = z.string().trim().min(1).max(4096)

/** Body of a creation (documents.md#adding). */
const createBody = z
  .object({
    source_type: z.enum(documentSources, {
      error: issue => (issue.input === undefined ? 'source_type is required: text, url or file' : undefined),
    }),
    content: z.string().max(maxContentLength).nullish(),
    /** The URL of a url document; for a file its absolute path, or a `file:` URL. */
    url: z.string().trim().min(1).max(4096).nullish(),
    title: z.string().trim().min(1).max(1000).nullish(),
    content_type: z.string().trim().min(1).max(255).nullish(),
    connector_id: id.nullish(),
    metadata: z.record(z.string().max(255), z.unknown()).nullish(),
    project: project.nullish(),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  })
  .superRefine(({ source_type, content, url }, context) => {
    const fault = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (source_type === 'url' && !url) fault('url', 'url is required for a url document')
    if (source_type === 'text' && !content?.trim())
      fault('content', 'content is required for a text document')
    if (source_type === 'file' && !url && !content?.trim())
      fault('url', 'a file document needs an absolute path in url, or its text in content')
  })
export type CreateDocumentBody = z.infer<typeof createBody>

const document = z.object({
  id: z.string(),
  agent_id: z.string(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  source_type: z.enum(documentSources),
  source_url: z.string().nullable(),
  content_type: z.string().nullable(),
  connector_id: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  status: z.enum(documentStatuses),
  /** The reason of a failure. */
  error: z.string().nullable(),
  chunk_count: z.int(),
  /** SHA-256 of the extracted text. */
  content_hash: z.string().nullable(),
  /** Milliseconds of the last processing, by step. */
  timings: z.record(z.string(), z.number()),
  created_at: z.string(),
  updated_at: z.string(),
  completed_at: z.string().nullable(),
  /** The charset of a text that says none and is not UTF-8. */
  guessed_charset: z.string().nullable(),
})
export type Document = z.infer<typeof document>

const documentParams = z.object({ id })

export const createDocument = endpoint({
  method: 'POST',
  path: '/api/documents',
  summary: 'Add a document from a text, a URL or a file',
  permission: 'documents',
  mutates: true,
  body: createBody,
  success: 201,
  response: z.object({
    id: z.string(),
    status: z.enum(documentStatuses),
    jobId: z.string().optional(),
    /** The URL is already active, so nothing was queued. */
    deduplicated: z.literal(true).optional(),
  }),
  successFor: ({ deduplicated }: { deduplicated?: true }) => (deduplicated ? 200 : undefined),
})

const listQuery = agentQuery.extend({
  status: z.enum(documentStatuses).optional(),
  limit: queryInt({ min: 1, max: 500 }).default(50),
  offset: queryInt({ min: 0, max: 10_000_000 }).default(0),
  sort: z.enum(['newest', 'oldest', 'changed']).default('newest'),
})
export type ListDocumentsQuery = z.infer<typeof listQuery>

export const listDocuments = endpoint({
  method: 'GET',
  path: '/api/documents',
  summary: 'List documents, newest first',
  permission: 'documents',
  mutates: false,
  query: listQuery,
  response: z.object({
    documents: z.array(document),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
})

export const getDocument = endpoint({
  method: 'GET',
  path: '/api/documents/:id',
  summary: 'Get a document',
  permission: 'documents',
  mutates: false,
  params: documentParams,
  shortIds: { 'params.id': ['document'] },
  query: agentQuery,
  response: document,
})

export const documentChunks = endpoint({
  method: 'GET',
  path: '/api/documents/:id/chunks',
  summary: 'List the passages of a document in order',
  permission: 'documents',
  mutates: false,
  params: documentParams,
  shortIds: { 'params.id': ['document'] },
  query: agentQuery,
  response: z.object({
    chunks: z.array(
      z.object({
        /** Id of the chunk's memory. */
        id: z.string(),
        content: z.string(),
        type: z.string(),
        created_at: z.string(),
        chunk_index: z.int(),
        heading: z.string().nullable(),
        page: z.string().nullable(),
      }),
    ),
    count: z.int(),
  }),
})

export const deleteDocument = endpoint({
  method: 'DELETE',
  path: '/api/documents/:id',
  summary: 'Remove a document and the passages that only it has',
  permission: 'documents',
  mutates: true,
  bucket: 'forget',
  params: documentParams,
  shortIds: { 'params.id': ['document'] },
  query: agentQuery.extend({ reason }),
  response: z.object({ deleted: z.literal(true), memoriesRemoved: z.int() }),
})
