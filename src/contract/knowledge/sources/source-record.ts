import { z } from 'zod'
import { sourceKind } from '../../ground/wire-names.js'

/** Kinds of sources (sources.md): Obsidian, Discord, GitHub, and imported files. */
export const sourceKinds = [sourceKind.obsidian, sourceKind.discord, sourceKind.github, 'import'] as const
export type SourceKindName = (typeof sourceKinds)[number]

export const indexJobStatuses = ['queued', 'running', 'complete', 'paused', 'failed'] as const

/** A source's current or last index job (sources.md#the-index-job). */
export const indexJob = z.object({
  status: z.enum(indexJobStatuses),
  statusMessage: z.string().nullable(),
  /** Not all of the source was read. */
  partial: z.boolean(),
  /** Files, messages or issues checked in this pass. */
  scanned: z.int(),
  /** Artifacts written in this pass. */
  indexed: z.int(),
  /** Total number to check, once known. */
  total: z.int().nullable(),
  /** `requested`, `provider_unavailable`, or another word of the kind. */
  pauseReason: z.string().nullable(),
  /** Position from which a paused pass resumes. */
  resumeFrontier: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
})
export type IndexJob = z.infer<typeof indexJob>

const permissionIssue = z.object({ path: z.string(), guidance: z.string() })

/** Health of a source (sources.md#health). */
export const sourceHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'unhealthy']),
  generatedAt: z.string(),
  latestArtifactAt: z.string().nullable(),
  latestCheckpointAt: z.string().nullable(),
  /** 0 to 1: share of the artifacts whose passages are complete. */
  chunkCoverage: z.number(),
  failures: z.object({
    total: z.int(),
    /** Failures that a later pass may resolve itself. */
    recoverable: z.int(),
    /** The newest failures, at most 20. */
    newest: z.array(z.object({ path: z.string(), message: z.string(), recoverable: z.boolean() })),
  }),
  checkpoints: z.object({ total: z.int(), partial: z.int(), stale: z.int() }),
  /** Rows of removed artifacts that are still in the database. */
  purge: z.object({ deletedArtifacts: z.int(), orphanChunks: z.int() }),
  semantic: z.object({
    entities: z.int(),
    aspects: z.int(),
    attributes: z.int(),
    dependencies: z.int(),
    communities: z.int(),
    total: z.int(),
    documentEntityId: z.string().nullable(),
  }),
  permission: z.object({ status: z.enum(['clear', 'denied']), issues: z.array(permissionIssue) }),
  /** Notes specific to the kind, in plain sentences. */
  notes: z.array(z.string()),
  /** For imports: facts extracted by their reader, in addition to those from Dreaming. */
  importExtraction: z
    .object({
      documentEntityId: z.string().nullable(),
      aspectsCreated: z.int(),
      attributesCreated: z.int(),
    })
    .optional(),
  /** Error of the health check itself. */
  error: z.string().optional(),
})
export type SourceHealth = z.infer<typeof sourceHealth>

export const sourceStats = z.object({
  artifacts: z.int(),
  chunks: z.int(),
  /** Artifacts that recall finds. */
  indexed: z.int(),
})

export const sourceRecord = z.object({
  id: z.string(),
  kind: z.enum(sourceKinds),
  name: z.string(),
  /** A folder, an address, or another location, depending on the kind. */
  root: z.string(),
  enabled: z.boolean(),
  mode: z.literal('read-only'),
  agentId: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** End of the last complete pass. */
  lastIndexedAt: z.string().nullable(),
  excludeGlobs: z.array(z.string()),
  stats: sourceStats,
  health: sourceHealth,
  indexJob: indexJob.optional(),
})
export type SourceRecord = z.infer<typeof sourceRecord>

export const artifactRecord = z.object({
  id: z.string(),
  sourceId: z.string(),
  /** Path inside the source. */
  sourcePath: z.string(),
  /** Type of the artifact: `note`, `canvas`, `issue`, `message`. */
  kind: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  author: z.string().nullable(),
  /** Time of the last change in the source. */
  updatedAt: z.string().nullable(),
  indexedAt: z.string(),
  chunks: z.int(),
  localOnly: z.boolean(),
  contentSafety: z.object({ status: z.enum(['clean', 'tainted', 'blocked']), reasons: z.array(z.string()) }),
})
export type ArtifactRecord = z.infer<typeof artifactRecord>
