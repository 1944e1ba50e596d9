import { z } from 'zod'

export const severities = ['ok', 'info', 'warning', 'error'] as const
export type Severity = (typeof severities)[number]

/** A checked condition, the evidence, and its effect on the domain's score. */
const finding = z.object({
  /** Stable id; `repair` and `fix` describe the remedy. */
  id: z.string(),
  severity: z.enum(severities),
  evidence: z.string(),
  /** 0 to 1. */
  penalty: z.number(),
  /** The remedy, as a command if there is one. */
  fix: z.string().optional(),
  /** The repair that fixes it: the last segment of its path. */
  repair: z.string().optional(),
  /** Number of occurrences. */
  count: z.int().optional(),
  /** Keys of some occurrences; omitted for confined callers. */
  samples: z.array(z.string()).optional(),
})
export type DiagnosticsFinding = z.infer<typeof finding>

export const healthStatus = z.enum(['healthy', 'degraded', 'unhealthy'])
export type HealthStatus = z.infer<typeof healthStatus>

const scored = { score: z.number(), status: healthStatus, findings: z.array(finding) }
const seconds = z.number().nullable()
const when = z.string().nullable()

/** Fields of each domain in addition to its score. */
export const domainSchemas = {
  queue: z.object({
    ...scored,
    depth: z.int(),
    pending: z.int(),
    leased: z.int(),
    completed: z.int(),
    dead: z.int(),
    oldestAgeSec: seconds,
    /** Share of dead jobs among ended ones. */
    deadRate: z.number(),
    /** Leases older than any worker's maximum. */
    leaseAnomalies: z.int(),
    byKind: z.array(
      z.object({
        kind: z.string(),
        pending: z.int(),
        leased: z.int(),
        completed: z.int(),
        dead: z.int(),
        oldestAgeSec: seconds,
      }),
    ),
  }),
  storage: z.object({
    ...scored,
    totalMemories: z.int(),
    deletedTombstones: z.int(),
    coldMemories: z.int(),
    /** From its page counts. */
    dbSizeBytes: z.int(),
    /** Bytes of empty pages. */
    freePageBytes: z.int(),
    logBytes: z.int(),
    diskFreeBytes: z.number().nullable(),
    writable: z.boolean(),
    integrityCheckedAt: when,
    schema: z.object({ applied: z.int(), known: z.int() }),
  }),
  index: z.object({
    ...scored,
    state: z.enum(['ready', 'rebuilding']),
    memories: z.int(),
    entries: z.int(),
    vectors: z.int(),
    terms: z.int(),
    bytes: z.int(),
    embeddingCoverage: z.number(),
    missingVectors: z.int(),
    snapshotBytes: z.int().nullable(),
    transcripts: z.object({ entries: z.int(), rows: z.int() }),
    artifacts: z.object({ entries: z.int(), rows: z.int() }),
  }),
  provider: z.object({
    ...scored,
    embedding: z.object({
      provider: z.string(),
      model: z.string(),
      dimensions: z.int().nullable(),
      state: z.string(),
      available: z.boolean(),
      checkedAt: when,
    }),
    inference: z.object({
      provider: z.string(),
      model: z.string().nullable(),
      state: z.string(),
      available: z.boolean(),
      inFlight: z.int(),
      waiting: z.int(),
      checkedAt: when,
    }),
  }),
  mutation: z.object({
    ...scored,
    frozen: z.boolean(),
    mode: z.string(),
    /** Counts of the last 24 hours. */
    recentCreates: z.int(),
    recentModifies: z.int(),
    recentDeletes: z.int(),
    recentRecovers: z.int(),
  }),
  duplicate: z.object({
    ...scored,
    /** Contents of several rows that the same readers see. */
    groups: z.int(),
    duplicates: z.int(),
    /** Rows that agents keep separately because they may not see each other's. */
    acrossAgents: z.int(),
    duplicateRatio: z.number(),
  }),
  connector: z.object({
    ...scored,
    connectorCount: z.int(),
    syncing: z.int(),
    errors: z.int(),
    oldestErrorAgeSec: seconds,
    documents: z.int(),
    failedDocuments: z.int(),
    sources: z.int(),
    imports: z.int(),
  }),
  update: z.object({
    ...scored,
    currentVersion: z.string(),
    /** From the last check; null before the first result. */
    latestVersion: z.string().nullable(),
    updateAvailable: z.boolean(),
    checkedAt: when,
    restartRequired: z.boolean(),
    pendingVersion: z.string().nullable(),
    lastError: z.string().nullable(),
  }),
  graph: z.object({
    ...scored,
    entities: z.int(),
    claims: z.int(),
    currentVersions: z.int(),
    links: z.int(),
    mentions: z.int(),
    pendingProposals: z.int(),
    waitingAttentions: z.int(),
  }),
  openclaw: z.object({
    ...scored,
    harnesses: z.array(
      z.object({ harness: z.string(), sessions: z.int(), open: z.int(), lastSeenAt: z.string() }),
    ),
    spooledHooks: z.int(),
    failedHooks: z.int(),
  }),
} as const

const composite = z.object({
  score: z.number(),
  status: healthStatus,
  parts: z.array(
    z.object({ domain: z.string(), score: z.number(), status: healthStatus, weight: z.number() }),
  ),
})

/** Items that wait for a decision of a person, with the command and the page that show them. */
export const waitingForPerson = z.object({
  total: z.int(),
  items: z.array(
    z.object({
      kind: z.enum(['suggestion', 'conflict', 'message', 'setting', 'permission']),
      count: z.int(),
      /** For example "3 suggestions from Dreaming". */
      text: z.string(),
      command: z.string(),
      /** The address on the web page, in parts: its page, then its tab. */
      page: z.array(z.string()),
    }),
  ),
})
export type WaitingForPerson = z.infer<typeof waitingForPerson>

/** The one figure of health, as every surface shows it (operations.md 3.1). */
export const healthFigure = composite.extend({
  /** When the stored rows were last checked. */
  checkedAt: when,
  /** Warnings and errors of all domains, worst first; each has its remedy. */
  warnings: z.array(finding.extend({ domain: z.string() })),
  /** Undefined in replies of an older daemon. */
  waiting: waitingForPerson.optional(),
})
export type HealthFigure = z.infer<typeof healthFigure>

/** Totals of all agents. */
const load = z.object({ inference: z.int(), inferenceWaiting: z.int(), mcp: z.int() })

/** How the survey that the domains are based on ran. */
const survey = z.object({
  startedAt: z.string(),
  tookMs: z.number(),
  /** False when time ran out; `leftOut` lists the checks that were skipped. */
  complete: z.boolean(),
  leftOut: z.array(z.string()),
})

export const fullReport = z.object({
  timestamp: z.string(),
  /** Null when rows cannot be read now. */
  survey: survey.nullable(),
  ...domainSchemas,
  composite,
  health: healthFigure,
  workloads: load,
})

/** `findings` of `composite` are those of all domains. */
export const domainReport = z.looseObject({
  domain: z.string(),
  timestamp: z.string(),
  score: z.number(),
  status: healthStatus,
})

export type DomainReport<Name extends keyof typeof domainSchemas> = z.infer<(typeof domainSchemas)[Name]>
