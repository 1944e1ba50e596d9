import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, queryBoolean } from '../ground/fields.js'

export const connectorProviders = ['filesystem', 'vcshost-docs', 'clouddrive'] as const

/** Maximum length of stored settings, as JSON. */
const maxSettingsLength = 65_536

const pattern = z.string().min(1).max(500)

/** Settings of a filesystem connector, validated at each sync (connectors.md#settings). */
export const filesystemSettings = z.object({
  /** Absolute path of a folder. */
  rootPath: z.string({ error: 'is required: the absolute path of a folder' }).min(1).max(4096),
  patterns: z
    .array(pattern)
    .min(1)
    .max(100)
    .default([
      '**/*.md',
      '**/*.txt',
      '**/{package.json,go.mod,Cargo.toml,pyproject.toml,CODEOWNERS}',
      '**/{docker-compose,compose}*.{yml,yaml}',
      '.{github,gitlab}/CODEOWNERS',
    ]),
  ignorePatterns: z.array(pattern).max(100).default(['.git', 'node_modules', '.DS_Store']),
  /** Bytes. */
  maxFileSize: z.int().min(1).default(1_048_576),
  /** Set by the daemon: the credential that named the folder, unless it was an admin or the owner. */
  givenTo: z.string().optional(),
})
export type FilesystemSettings = z.infer<typeof filesystemSettings>

/** Progress of a connector's syncs. */
export const syncCursor = z.object({
  /** Start of the last successful sync; the Unix epoch before the first one. */
  lastSyncAt: z.string(),
  checkpoint: z.string().optional(),
  version: z.number().optional(),
})

const syncError = z.object({
  /** Path relative to the root. */
  resourceId: z.string(),
  message: z.string(),
  /** True when the next sync may succeed without a change of the file. */
  retryable: z.boolean(),
})
export type SyncError = z.infer<typeof syncError>

export const syncResult = z.object({
  documentsAdded: z.int(),
  documentsUpdated: z.int(),
  documentsRemoved: z.int(),
  /** The first 100. */
  errors: z.array(syncError),
  /** Number of all errors. */
  errorCount: z.int(),
  /** Files that match the patterns. */
  listed: z.int(),
  full: z.boolean(),
  startedAt: z.string(),
  endedAt: z.string(),
  cursor: syncCursor,
})
export type SyncResult = z.infer<typeof syncResult>

const connector = z.object({
  id: z.string(),
  provider: z.enum(connectorProviders),
  display_name: z.string(),
  status: z.enum(['idle', 'syncing', 'error']),
  config_json: z.string(),
  cursor_json: z.string(),
  last_sync_at: z.string().nullable(),
  last_error: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Connector = z.infer<typeof connector>

/** A connector's documents and its present activity. */
const connectorDetails = z.object({
  documents: z.object({
    total: z.int(),
    done: z.int(),
    failed: z.int(),
    /** In processing. */
    reading: z.int(),
  }),
  chunks: z.int(),
  /** Progress of the running sync. */
  progress: z.object({ full: z.boolean(), listed: z.int(), taken: z.int(), removed: z.int() }).nullable(),
  /** Result of the last successful sync. */
  lastResult: syncResult.nullable(),
})
export type ConnectorDetails = z.infer<typeof connectorDetails>

const connectorParams = z.object({ id })

const syncReply = z.object({ status: z.literal('syncing'), message: z.string().optional() })

export const listConnectors = endpoint({
  method: 'GET',
  path: '/api/connectors',
  summary: 'List connectors, newest first',
  permission: 'authenticated',
  mutates: false,
  response: z.object({ connectors: z.array(connector), count: z.int() }),
})

export const registerConnector = endpoint({
  method: 'POST',
  path: '/api/connectors',
  summary: 'Add a connector that syncs documents from a place',
  permission: 'connectors',
  mutates: false,
  body: z.object({
    provider: z.enum(connectorProviders, {
      error: ({ input }) =>
        input === undefined
          ? `provider is required: ${connectorProviders.join(', ')}`
          : `unknown provider; use one of ${connectorProviders.join(', ')}`,
    }),
    displayName: z.string().trim().min(1).max(255).nullish(),
    settings: z
      .record(z.string().max(255), z.unknown())
      .refine(settings => JSON.stringify(settings).length <= maxSettingsLength, {
        error: `settings may have at most ${maxSettingsLength} characters as JSON`,
      })
      .nullish(),
  }),
  success: 201,
  response: z.object({ id: z.string() }),
})
export type NewConnectorBody = z.infer<typeof registerConnector.body>

export const getConnector = endpoint({
  method: 'GET',
  path: '/api/connectors/:id',
  summary: 'Get a connector, optionally with its results and progress',
  permission: 'authenticated',
  mutates: false,
  params: connectorParams,
  shortIds: { 'params.id': ['connector'] },
  query: z.object({ details: queryBoolean.default(false) }),
  response: connector.extend({ details: connectorDetails.optional() }),
})

export const syncConnector = endpoint({
  method: 'POST',
  path: '/api/connectors/:id/sync',
  summary: 'Sync new and changed documents in the background',
  permission: 'connectors',
  mutates: true,
  params: connectorParams,
  shortIds: { 'params.id': ['connector'] },
  response: syncReply,
})

export const fullSyncConnector = endpoint({
  method: 'POST',
  path: '/api/connectors/:id/sync/full',
  summary: 'Sync all documents of a connector again in the background',
  permission: 'connectors',
  mutates: true,
  params: connectorParams,
  shortIds: { 'params.id': ['connector'] },
  query: z.object({ confirm: z.string().max(100).optional() }),
  response: syncReply,
})

export const removeConnector = endpoint({
  method: 'DELETE',
  path: '/api/connectors/:id',
  summary: 'Remove a connector, with cascade also its documents',
  permission: 'connectors',
  mutates: (_body: unknown, query: { cascade: boolean }) => query.cascade,
  params: connectorParams,
  shortIds: { 'params.id': ['connector'] },
  query: z.object({ cascade: queryBoolean.default(false) }),
  response: z.object({
    deleted: z.literal(true),
    /** Present with cascade. */
    documentsRemoved: z.int().optional(),
    memoriesRemoved: z.int().optional(),
  }),
})

export const connectorHealth = endpoint({
  method: 'GET',
  path: '/api/connectors/:id/health',
  summary: 'Get the state of a connector and the number of documents in its folder',
  permission: 'authenticated',
  mutates: false,
  params: connectorParams,
  shortIds: { 'params.id': ['connector'] },
  response: z.object({
    id: z.string(),
    status: z.enum(['idle', 'syncing', 'error']),
    lastSyncAt: z.string().nullable(),
    lastError: z.string().nullable(),
    documentCount: z.int(),
  }),
})
