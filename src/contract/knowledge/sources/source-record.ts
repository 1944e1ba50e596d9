import { z } from 'zod'
import { sourceKind } from '../../ground/wire-names.js'

/** Kinds of sources (sources.md): Obsidian, Discord, GitHub, and files that were imported. */
export const sourceKinds = [sourceKind.obsidian, sourceKind.discord, sourceKind.github, 'import'] as const
export type SourceKindName = (typeof sourceKinds)[number]

export const indexJobStatuses = ['queued', 'running', 'complete', 'paused', 'failed'] as const
export type IndexJobStatus = (typeof indexJobStatuses)[number]

/** The reading of a source, as it is now or as it last ended (sources.md#the-index-job). */
export const indexJob = z.object({
  status: z.enum(indexJobStatuses),
  statusMessage: z.string().nullable(),
  /** Not all of the source was looked at. */
  partial: z.boolean(),
  /** Files, messages or issues that were looked at in this pass. */
  scanned: z.int(),
  /** Artifacts that were written in this pass. */
  indexed: z.int(),
  /** How many there are to look at, once that is known. */
  total: z.int().nullable(),
  /** `requested`, `provider_unavailable`, or another word of the kind. */
  pauseReason: z.string().nullable(),
  /** Where a paused pass goes on. */
  resumeFrontier: z.string().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
})
export type IndexJob = z.infer<typeof indexJob>

const permissionIssue = z.object({ path: z.string(), guidance: z.string() })

/** What is known of a source's condition (sources.md#health). */
export const sourceHealth = z.object({
  status: z.enum(['healthy', 'degraded', 'unhealthy']),
  generatedAt: z.string(),
  latestArtifactAt: z.string().nullable(),
  latestCheckpointAt: z.string().nullable(),
  /** 0 to 1: the part of the artifacts whose chunks stand. */
  chunkCoverage: z.number(),
  failures: z.object({
    total: z.int(),
    /** Of these, those that a later pass may overcome by itself. */
    recoverable: z.int(),
    /** The newest of them, at most 20. */
    newest: z.array(z.object({ path: z.string(), message: z.string(), recoverable: z.boolean() })),
  }),
  checkpoints: z.object({ total: z.int(), partial: z.int(), stale: z.int() }),
  /** What is gone from the source and not yet from the database. */
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
  /** What only a kind can say, in plain sentences. */
  notes: z.array(z.string()),
  /** Of imports: what their reading made, beside what Dreaming makes of it. */
  importExtraction: z
    .object({
      documentEntityId: z.string().nullable(),
      aspectsCreated: z.int(),
      attributesCreated: z.int(),
    })
    .optional(),
  /** Why the diagnostics themselves failed. */
  error: z.string().optional(),
})
export type SourceHealth = z.infer<typeof sourceHealth>

export const sourceStats = z.object({
  artifacts: z.int(),
  chunks: z.int(),
  /** Artifacts that are found. */
  indexed: z.int(),
})
export type SourceStats = z.infer<typeof sourceStats>

export const sourceRecord = z.object({
  id: z.string(),
  kind: z.enum(sourceKinds),
  name: z.string(),
  /** A folder, an address, or what else the kind calls its place. */
  root: z.string(),
  enabled: z.boolean(),
  mode: z.literal('read-only'),
  agentId: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** End of the last pass that saw all of it. */
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
  /** Its address inside the source. */
  sourcePath: z.string(),
  /** What it is there: `note`, `canvas`, `issue`, `message`. */
  kind: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  author: z.string().nullable(),
  /** When it was changed in its source. */
  updatedAt: z.string().nullable(),
  indexedAt: z.string(),
  chunks: z.int(),
  localOnly: z.boolean(),
  contentSafety: z.object({ status: z.enum(['clean', 'tainted', 'blocked']), reasons: z.array(z.string()) }),
})
export type ArtifactRecord = z.infer<typeof artifactRecord>
