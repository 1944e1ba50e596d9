import { z } from 'zod'
import { endpoint } from '../../ground/endpoint.js'
import { name } from '../../ground/fields.js'

export const duplicateModes = ['skip', 'replace', 'reimport'] as const
export type DuplicateMode = (typeof duplicateModes)[number]

const mebibyte = 1024 * 1024
/** Limits of one request, for uploads and paths (sources.md#importing-files). */
export const importLimits = {
  field: 'files',
  maxFiles: 25,
  maxFileBytes: 25 * mebibyte,
  maxBytes: 100 * mebibyte,
}

const path = z.string().min(1).max(4096)

const importBody = z
  .object({
    /** Treatment of a file that was imported before. */
    duplicateMode: z
      .enum(duplicateModes, { error: `must be one of ${duplicateModes.join(', ')}` })
      .default('skip'),
    /** Absolute paths on the daemon's machine, instead of uploads. */
    paths: z
      .union([path, z.array(path)], { error: 'must be a path or a list of paths' })
      .transform(value => (typeof value === 'string' ? [value] : value))
      .optional(),
    agentId: name.nullish(),
    agent_id: name.nullish(),
  })
  .default({ duplicateMode: 'skip' })
export type ImportFilesBody = z.infer<typeof importBody>

/** Present facts extracted from a file. */
export const importExtraction = z.object({
  /** The entity of the file; null when none was created. */
  documentEntityId: z.string().nullable(),
  aspectsCreated: z.int(),
  attributesCreated: z.int(),
})
export type ImportExtraction = z.infer<typeof importExtraction>

/** Metadata of an imported file; its bytes are not stored. */
export const importSettings = z.object({
  fileName: z.string(),
  format: z.string(),
  bytes: z.int(),
  /** SHA-256 of its bytes. */
  sha256: z.string(),
  /** Imports that it replaces, until they are removed. */
  replaces: z.array(z.string()),
  extraction: importExtraction,
})
export type ImportSettings = z.infer<typeof importSettings>

const importedFile = z.object({
  /** The uploaded name, or the last part of its path. */
  fileName: z.string(),
  /** `duplicate` is unchanged; `failed` has the reason in `error`. */
  status: z.enum(['imported', 'duplicate', 'failed']),
  /** Null after a failure. */
  sourceId: z.string().nullable(),
  /** Null when it could not be determined. */
  format: z.string().nullable(),
  /** The same bytes were imported before. */
  duplicate: z.boolean(),
  error: z.string().optional(),
  /** Reason code: `encrypted`, `resource_limit`, `unreadable` and others (documents.md). */
  reason: z.string().optional(),
  /** Absent after a failure. */
  extraction: importExtraction.optional(),
})
export type ImportedFile = z.infer<typeof importedFile>

export const importFiles = endpoint({
  method: 'POST',
  path: '/api/sources/import',
  summary: 'Import files as sources; only their text is stored',
  permission: 'modify',
  mutates: true,
  form: importLimits,
  body: importBody,
  response: z.object({ imported: z.int(), failed: z.int(), files: z.array(importedFile) }),
})
