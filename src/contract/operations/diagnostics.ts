import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedAnyInt, id, name, queryBoolean, queryInt, safetyReasons } from '../ground/fields.js'
import { domainNames } from '../ground/wire-names.js'
import { domainReport, type domainSchemas, fullReport } from './diagnostics-domains.js'

const reads = { method: 'GET', permission: 'diagnostics', mutates: false } as const

const agent = { agentId: name.optional(), agent_id: name.optional() }
const surveyQuery = z.object({
  ...agent,
  /** Repeats the survey first, which may take seconds. */
  refresh: queryBoolean.default(false),
})

export const diagnosticsReport = endpoint({
  ...reads,
  path: '/api/diagnostics',
  summary: 'Get the diagnostics of all domains with scores and reasons',
  query: surveyQuery,
  response: fullReport,
})
export type DiagnosticsReport = z.infer<typeof fullReport>

export const diagnosticsDomain = endpoint({
  ...reads,
  path: '/api/diagnostics/:domain',
  summary: 'Get the diagnostics of one domain',
  params: z.object({ domain: z.enum(domainNames) }),
  query: surveyQuery,
  response: domainReport,
})
export type DomainName = keyof typeof domainSchemas

const pressure = z.object({
  active: z.int(),
  agentSessions: z.int(),
  oldestAgeMs: z.number().nullable(),
  oldestAgentSessionAgeMs: z.number().nullable(),
  byOperation: z.record(z.string(), z.int()),
})

export const workloads = endpoint({
  ...reads,
  path: '/api/diagnostics/workloads',
  summary: 'Get current work for an agent: language model calls and MCP requests',
  query: z.object(agent),
  response: z.object({
    agentId: z.string(),
    inference: pressure,
    mcp: z.object({ inFlight: z.int(), oldestAgeMs: z.number().nullable(), maxInFlight: z.int() }),
  }),
})
export type Workloads = z.infer<typeof workloads.response>

const ages = z.object({
  count: z.int(),
  oldestAt: z.string().nullable(),
  newestAt: z.string().nullable(),
  oldestAgeMs: z.number().nullable(),
  newestAgeMs: z.number().nullable(),
})

export const transcriptCapture = endpoint({
  ...reads,
  path: '/api/diagnostics/transcript-capture',
  summary: 'Get counts and ages of transcript captures, without their texts',
  query: surveyQuery,
  response: z.object({
    /** Null for all agents. */
    agentId: z.string().nullable(),
    countedAt: z.string().nullable(),
    queue: z.object({ queued: z.int(), running: z.int(), completed: z.int(), failed: z.int() }),
    transcripts: ages,
    /** Compactions, each of which has a file. */
    manifests: z.object({ count: z.int(), open: z.int() }),
    /** Files with captured transcripts. */
    artifacts: z.object({ expected: z.int(), missing: z.int() }),
    summaries: z.object({ count: z.int(), pending: z.int(), failed: z.int() }),
    audit: z.object({
      /** Receipts of captures. */
      receipts: ages,
      /** Transcript files shared by all agents; only for callers who may see all of them. */
      flat: z.object({ files: z.int(), bytes: z.int(), newestAt: z.string().nullable() }).optional(),
    }),
  }),
})
export type TranscriptCapture = z.infer<typeof transcriptCapture.response>

export const safetySourceKinds = ['memory', 'artifact', 'transcript', 'summary', 'source_chunk'] as const
export type SafetySourceKind = (typeof safetySourceKinds)[number]

const safetyStatus = z.enum(['clean', 'tainted', 'blocked'])
export type SafetyStatus = z.infer<typeof safetyStatus>
const safetyCounts = z.object({ clean: z.int(), tainted: z.int(), blocked: z.int() })

export const contentSafetyList = endpoint({
  ...reads,
  path: '/api/diagnostics/memory-content-safety',
  summary: 'List content safety verdicts by kind and status, without texts',
  query: z.object({
    ...agent,
    status: safetyStatus.optional(),
    sourceKind: z.enum(safetySourceKinds).optional(),
    limit: queryInt({ min: 1, max: 200 }).default(100),
    offset: queryInt({ min: 0, max: 100_000 }).default(0),
  }),
  response: z.object({
    /** Null for all agents. */
    agentId: z.string().nullable(),
    policyVersion: z.string(),
    counts: z.record(z.enum(safetySourceKinds), safetyCounts),
    items: z.array(
      z.object({
        sourceKind: z.enum(safetySourceKinds),
        sourceId: z.string(),
        agentId: z.string(),
        status: safetyStatus,
        reasons: z.array(z.enum(safetyReasons)),
        policyVersion: z.string(),
        /** Null where the kind does not record a time. */
        scannedAt: z.string().nullable(),
      }),
    ),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasMore: z.boolean(),
  }),
})
export type ContentSafetyList = z.infer<typeof contentSafetyList.response>

const column = z.object({
  cid: z.int(),
  name: z.string(),
  type: z.string(),
  notNull: z.boolean(),
  defaultValue: z.string().nullable(),
  /** Position in the primary key, from 1; 0 outside it. */
  primaryKey: z.int(),
})

export const tableGroups = ['core', 'provenance', 'runtime', 'internal', 'other'] as const
export type TableGroup = (typeof tableGroups)[number]

export const databaseSchema = endpoint({
  ...reads,
  path: '/api/diagnostics/database/schema',
  summary: 'List database tables with columns, indexes and relations',
  query: z.object(agent),
  response: z.object({
    generatedAt: z.string(),
    groups: z.record(z.enum(tableGroups), z.int()),
    tables: z.array(
      z.object({
        name: z.string(),
        group: z.enum(tableGroups),
        kind: z.enum(['table', 'view', 'virtual', 'shadow']),
        /** Null when it is not counted. */
        rowCount: z.int().nullable(),
        sampleAllowed: z.boolean(),
        columns: z.array(column),
        indexes: z.array(
          z.object({
            name: z.string(),
            unique: z.boolean(),
            partial: z.boolean(),
            /** Null for an expression. */
            columns: z.array(z.string().nullable()),
          }),
        ),
        foreignKeys: z.array(
          z.object({
            columns: z.array(z.string()),
            table: z.string(),
            references: z.array(z.string().nullable()),
            onDelete: z.string(),
          }),
        ),
        sql: z.string().nullable(),
      }),
    ),
  }),
})
export type DatabaseSchema = z.infer<typeof databaseSchema.response>

export const tableSample = endpoint({
  ...reads,
  path: '/api/diagnostics/database/tables/:table/sample',
  summary: 'Get some rows of a table, without vectors and secrets',
  params: z.object({ table: id }),
  query: z.object({
    ...agent,
    limit: clampedAnyInt({ min: 1, max: 100 }).default(25),
    offset: clampedAnyInt({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
  }),
  response: z.object({
    table: z.string(),
    columns: z.array(column),
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    limit: z.int(),
    offset: z.int(),
    rowCount: z.int(),
    hasMore: z.boolean(),
  }),
})
export type TableSample = z.infer<typeof tableSample.response>
