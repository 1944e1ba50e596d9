import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, queryBoolean } from '../ground/fields.js'
import { sourceRecord } from './source-record.js'

export const duplicateModes = ['skip', 'replace', 'reimport'] as const
export type DuplicateMode = (typeof duplicateModes)[number]

const importedFile = z.object({
  fileName: z.string(),
  status: z.enum(['imported', 'duplicate', 'failed']),
  sourceId: z.string().nullable(),
  format: z.string().nullable(),
  duplicate: z.boolean(),
  error: z.string().optional(),
  /** Absent where the file failed. */
  extraction: z
    .object({ documentEntityId: z.string().nullable(), aspectsCreated: z.int(), attributesCreated: z.int() })
    .optional(),
})
export type ImportedFile = z.infer<typeof importedFile>

export const importFiles = endpoint({
  method: 'POST',
  path: '/api/sources/import',
  summary: 'Import files as sources: their text is kept, never their bytes',
  permission: 'modify',
  mutates: true,
  response: z.object({ imported: z.int(), failed: z.int(), files: z.array(importedFile) }),
})

/** Artifacts of a source as one JSON, to be brought into another workspace. */
export const sourceSnapshot = z.object({
  version: z.literal(1),
  exportedAt: z.string(),
  source: sourceRecord.omit({ health: true }).extend({ health: z.unknown().optional() }),
  agentId: z.string(),
  artifacts: z.array(
    z.object({
      sourcePath: z.string(),
      sourceKind: z.string(),
      sourceId: z.string(),
      content: z.string(),
    }),
  ),
  skipped: z.object({ localChatArtifacts: z.int() }),
})
export type SourceSnapshot = z.infer<typeof sourceSnapshot>

const snapshotParams = z.object({ sourceId: id })
const snapshotQuery = z.object({ includeLocalChatCache: queryBoolean.default(false) })

export const exportSnapshot = endpoint({
  method: 'GET',
  path: '/api/sources/:sourceId/snapshot',
  summary: 'The artifacts of a source as one JSON',
  permission: 'documents',
  mutates: false,
  params: snapshotParams,
  query: snapshotQuery,
  response: sourceSnapshot,
})

export const importSnapshot = endpoint({
  method: 'POST',
  path: '/api/sources/:sourceId/snapshot/import',
  summary: 'Replace the artifacts of a source by those of a snapshot',
  permission: 'modify',
  mutates: true,
  params: snapshotParams,
  query: snapshotQuery,
  response: z.object({ ok: z.literal(true), imported: z.int(), skipped: z.int() }),
})
