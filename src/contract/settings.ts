import { z } from 'zod'
import { memoryType } from './ground/fields.js'
import { inferenceProviders, inferenceRates } from './ground/inference.js'
import { backupSettings } from './operations/backup.js'
import { gitSettings } from './operations/git.js'
import { storageSettings } from './operations/storage.js'
import { syncSettings } from './operations/sync.js'
import { telemetryDeliverySettings } from './operations/telemetry/telemetry.js'
import { updateSettings } from './operations/updates.js'
import { authSettings } from './platform/auth-settings.js'
import { secretReference } from './secrets/names.js'
import { captureSettings } from './sessions/capture-rules.js'

const port = z.int().min(0).max(65_535)
const milliseconds = z.int().min(0).max(2_147_483_647)

const timeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, 'is not a known time zone; use one such as Europe/Berlin or UTC')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export const embeddingSettings = z.object({
  /**
   * Default: the sentence model that is named, else the packaged one, and the packaged word model where
   * memory is scarce.
   */
  provider: z.enum(['static', 'local', 'openai', 'ollama', 'none']).optional(),
  /** Model name; its default depends on the provider. */
  model: z.string().min(1).max(200).optional(),
  dimensions: z.int().min(1).max(4096).optional(),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** A secret reference (`NAME`, `local://NAME`, `env:NAME`), never the key itself. */
  apiKey: secretReference.optional(),
  queryPrefix: z.string().max(200).optional(),
  documentPrefix: z.string().max(200).optional(),
  /** Folder with a local model (config.json, tokenizer.json, onnx/model*.onnx). */
  modelPath: z.string().min(1).max(4096).optional(),
  /** Time a save waits for its vector before a job takes over. */
  deadlineMs: milliseconds.default(300),
  /** Idle time after which the local model is unloaded. */
  idleUnloadMs: milliseconds.default(300_000),
})

/** The language model (inference.md). Without a provider nothing is sent anywhere. */
export const inferenceSettings = z.object({
  provider: z.enum(inferenceProviders).default('none'),
  /** Base URL; its default depends on the provider. */
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** No default, because the choice determines the cost. */
  model: z.string().min(1).max(200).optional(),
  /** A secret reference, never the key itself. */
  apiKey: secretReference.optional(),
  /** Maximum concurrent calls. */
  maxConcurrent: z.int().min(1).max(16).default(2),
  /** Prices for computing costs. */
  rates: inferenceRates.optional(),
})

const recallSettings = z.object({
  /**
   * Recall channels from the knowledge graph (recall.md#the-graph): claims lead to the memories that state
   * them. Costs and benefits of each: ranking.md.
   */
  claims: z.boolean().default(false),
  /** Links lead to memories about entities one or two steps away; costs and benefits: ranking.md. */
  traversal: z.boolean().default(false),
  /** Adds a row with the facts about an entity named in the query. */
  cards: z.boolean().default(false),
  /** Uses the language model for summaries (inference.md#uses); off by default. */
  summary: z.object({ useProvider: z.boolean().default(false) }).prefault({}),
  /** Uses the language model to rerank the best rows. */
  reranking: z
    .object({
      useProvider: z.boolean().default(false),
      /** Time a recall waits for it. */
      deadlineMs: z.int().min(50).max(10_000).default(800),
    })
    .prefault({}),
  /** Daily token limit for each of the two. */
  maxTokensPerDay: z.int().min(0).max(1_000_000_000).default(200_000),
})

const tokens = z.int().min(0).max(100_000)
const recallLimit = z.int().min(0).max(100)

/** Context that hooks add to a session (rules.md 4.12). */
const hookSettings = z.object({
  sessionStart: z
    .object({
      recallLimit: recallLimit.default(10),
      sessionContinuityMaxEntries: z.int().min(0).max(100).default(15),
      sessionContinuityMaxTokens: tokens.default(3000),
      sessionContinuityEntryMaxTokens: tokens.default(250),
      /** Only with capabilities.identity.mode `managed`. */
      includeIdentity: z.boolean().default(true),
      includeRecentContext: z.boolean().default(true),
      /** 0 ranks by importance alone, 1 by recency alone. */
      recencyBias: z.number().min(0).max(1).default(0.7),
      /** Replaces `context.tokens` for session starts. */
      maxInjectTokens: tokens.optional(),
    })
    .prefault({}),
  userPromptSubmit: z
    .object({
      /** An entity is shown when one of its current attributes scores at least this much. */
      minScore: z.number().min(0).max(1).default(0.6),
      maxInjectChars: z.int().min(0).max(100_000).default(2000),
    })
    .prefault({}),
  preCompaction: z
    .object({
      includeRecentMemories: z.boolean().default(true),
      memoryLimit: z.int().min(0).max(100).default(5),
      /** Replaces the default guidelines for summaries. */
      summaryGuidelines: z.string().min(1).max(10_000).optional(),
    })
    .prefault({}),
  compaction: z
    .object({
      /** Visibility of compaction summaries and native notes. */
      visibility: z.enum(['global', 'private']).default('global'),
    })
    .prefault({}),
})

/** Overrides of session start for harnesses that use a profile (rules.md 4.12). */
const contextProfile = z.object({
  sessionStart: z
    .object({
      recallLimit: recallLimit.optional(),
      maxInjectTokens: tokens.optional(),
      identity: z
        .object({
          files: z
            .array(
              z.object({
                path: z.string().min(1).max(4096),
                maxChars: z.int().min(1).max(100_000).optional(),
              }),
            )
            .max(20),
        })
        .optional(),
    })
    .prefault({}),
})

const synthesisSettings = z.object({
  harness: z.string().min(1).max(255).optional(),
  model: z.string().min(1).max(255).default('projection'),
  schedule: z.enum(['daily', 'weekly', 'on-demand']).default('daily'),
  max_tokens: tokens.default(4000),
})

/** Separate schemas, so that a daemon creates only those that agent.yaml uses. */
export const settingsSections = {
  daemon: z
    .object({
      host: z.string().min(1).max(255).default('127.0.0.1'),
      port: port.default(3850),
      /** 0 never stops by itself. */
      idleTimeoutMs: milliseconds.default(1_800_000),
      logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    })
    .prefault({}),
  storage: storageSettings.prefault({}),
  team: z
    .object({
      /** Of several daemons on one database, the name of the one that does works with files; '' for any. */
      node: z.string().max(200).default(''),
    })
    .prefault({}),
  embedding: embeddingSettings.prefault({}),
  inference: inferenceSettings.prefault({}),
  recall: recallSettings.prefault({}),
  auth: authSettings.prefault({}),
  memory: z
    .object({
      pipelineV2: z
        .object({
          /** False disables deriving memories and facts from conversations; saving still works. */
          enabled: z.boolean().default(true),
          /** Records derived changes without applying them. */
          shadowMode: z.boolean().default(false),
          /** Pauses deriving memories and facts from conversations. */
          paused: z.boolean().default(false),
          mutationsFrozen: z.boolean().default(false),
          /** Records anonymous usage events on this machine (telemetry.md 3). */
          telemetryEnabled: z.boolean().default(true),
        })
        .prefault({}),
      synthesis: synthesisSettings.prefault({}),
      /** `isolated` shows memories of other git branches once they are merged (projects.md#branches). */
      branches: z.enum(['shared', 'isolated']).default('shared'),
      /** Days after which memories that agents save expire, by type: `30d` or `never` (rules.md 1.4.1). */
      expiry: z.partialRecord(memoryType, z.string().regex(/^(?:never|[1-9]\d{0,4}d)$/u)).default({}),
    })
    .prefault({}),
  capture: captureSettings.prefault({}),
  telemetry: z
    .object({
      /** Records queries and results of recalls with their texts on this machine (telemetry.md 5). */
      memorySearchQaEnabled: z.boolean().default(false),
      delivery: telemetryDeliverySettings.prefault({}),
    })
    .prefault({}),
  dreaming: z
    .object({
      enabled: z.boolean().default(true),
      schedule: z.enum(['hourly', 'daily', 'on-demand']).default('hourly'),
      /** Uses the configured model; off spends no tokens. */
      useProvider: z.boolean().default(false),
      /** Time a pass waits for one reply of the model. */
      deadlineMs: z.int().min(50).max(120_000).default(60_000),
      maxTokensPerPass: z.int().min(0).max(10_000_000).default(50_000),
      maxTokensPerDay: z.int().min(0).max(100_000_000).default(200_000),
    })
    .prefault({}),
  capabilities: z
    .object({
      identity: z.object({ mode: z.enum(['managed', 'passthrough', 'off']).default('managed') }).prefault({}),
    })
    .prefault({}),
  context: z
    .object({
      /** Hard budget of the text that a session starts with. */
      tokens: tokens.default(1200),
      /** Adds up to three memories that answer a prompt to it. */
      promptRecall: z.enum(['off', 'on']).default('off'),
    })
    .prefault({}),
  hooks: hookSettings.prefault({}),
  mcp: z
    .object({
      /** Tools that MCP clients list: the essential ones, most, or also those that repeat another tool. */
      tools: z.enum(['core', 'standard', 'all']).default('standard'),
    })
    .prefault({}),
  documents: z
    .object({
      /** Allows URL documents from this machine and private networks. */
      allowPrivateHosts: z.boolean().default(false),
    })
    .prefault({}),
  index: z
    .object({
      /** Threads that share the index of a large store (scale.md). */
      threads: z.int().min(1).max(64).default(1),
    })
    .prefault({}),
  git: gitSettings.prefault({}),
  sync: syncSettings.prefault({}),
  backup: backupSettings.prefault({}),
  repair: z
    .object({
      /** Minimum time between two calls of an expensive repair. */
      cooldownMs: milliseconds.default(5000),
      /** Calls of one repair per hour. */
      callsPerHour: z.int().min(1).max(100_000).default(600),
    })
    .prefault({}),
  messages: z
    .object({
      /** Allows relaying messages to servers on this machine and in private networks. */
      allowPrivateHosts: z.boolean().default(false),
    })
    .prefault({}),
  tasks: z
    .object({
      /** Time limit of a run. */
      runtimeLimitMs: z.int().min(1000).max(86_400_000).default(600_000),
      /** Maximum concurrent tasks. */
      maxConcurrent: z.int().min(1).max(3).default(3),
      /** IANA name; by default that of the machine. */
      timezone: timeZone.optional(),
    })
    .prefault({}),
  sources: z
    .object({
      chatguild: z
        .object({
          /** URL of the REST API, which also provides the gateway's URL. */
          apiBaseUrl: z
            .url({ protocol: /^https?$/ })
            .max(2000)
            .default('https://discord.com/api/v10'),
        })
        .prefault({}),
      coderepo: z
        .object({
          /** URL of the REST API; for an enterprise server https://HOST/api/v3. */
          apiBaseUrl: z
            .url({ protocol: /^https?$/ })
            .max(2000)
            .default('https://api.github.com'),
        })
        .prefault({}),
    })
    .prefault({}),
  update: updateSettings.prefault({}),
  contextProfiles: z.record(z.string().max(255), contextProfile).prefault({}),
  /** Harness -> name of its profile. */
  harnessProfiles: z.record(z.string().max(255), z.string().max(255)).prefault({}),
  /** Folder -> project name, overriding the repository's. */
  projects: z.record(z.string().max(4096), z.string().min(1).max(4096)).prefault({}),
}

/**
 * Schema of `agent.yaml`. Every key has a default, so the file is optional (rules.md#settings). Unknown keys
 * are kept and reported by doctor.
 */
export const settings = z.object(settingsSections)

export type Settings = z.infer<typeof settings>
export type AuthSettings = Settings['auth']
export type EmbeddingSettings = Settings['embedding']
export type InferenceSettings = Settings['inference']
