import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { id, queryBoolean, timestamp } from '../../ground/fields.js'
import { agentQuery } from '../../memory/record.js'

/** Longest body of a snapshot (sources.md#snapshots). */
export const maxSnapshotBytes = 256 * 1024 * 1024
/** Characters of one artifact, the maximum of a document's text. */
const maxArtifactLength = 26_214_400

/** An artifact in a snapshot; absent fields are unknown. */
export const snapshotArtifact = z.object({
  /** Path inside the source. */
  sourcePath: z.string().min(1).max(4096),
  sourceKind: z.string().trim().min(1).max(100),
  sourceId: z.string().trim().min(1).max(200),
  content: z.string().max(maxArtifactLength),
  title: z.string().max(10_000).nullish(),
  /** Aliases, tags, labels. */
  names: z.array(z.string().max(1000)).max(1000).nullish(),
  url: z.string().max(4096).nullish(),
  author: z.string().max(1000).nullish(),
  /** Time of the last change in the source. */
  updatedAt: timestamp.nullish(),
  /** It came from a chat program's cache on one machine. */
  localOnly: z.boolean().nullish(),
})
export type SnapshotArtifact = z.infer<typeof snapshotArtifact>

const skipped = z.object({ localChatArtifacts: z.int().min(0) })

/** Artifacts of a source as one JSON. */
export const sourceSnapshot = z.object({
  version: z.literal(1, { error: 'must be 1, the version this release supports' }),
  exportedAt: timestamp.optional(),
  source: z.looseObject({ id: z.string(), kind: z.string() }),
  agentId: z.string().optional(),
  artifacts: z.array(snapshotArtifact),
  skipped: skipped.optional(),
})

const snapshotParams = z.object({ sourceId: id })
const snapshotQuery = agentQuery.extend({
  /** Includes direct messages read from a chat program's cache. */
  includeLocalChatCache: queryBoolean.default(false),
})
export type SnapshotQuery = z.infer<typeof snapshotQuery>

export const exportSnapshot = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/snapshot',
  summary: 'Export the artifacts of a source as one JSON file',
  permission: 'documents',
  mutates: false,
  params: snapshotParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: snapshotQuery,
  response: sourceSnapshot,
})

export const importSnapshot = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/snapshot/import',
  summary: 'Replace the artifacts of a source with those of a snapshot',
  permission: 'modify',
  mutates: true,
  params: snapshotParams,
  shortIds: { 'params.sourceId': ['source'] },
  query: snapshotQuery,
  stream: { contentType: 'application/json', schema: sourceSnapshot },
  response: z.object({
    ok: z.literal(true),
    imported: z.int(),
    /** Omitted artifacts of local caches. */
    skipped: z.int(),
  }),
})
