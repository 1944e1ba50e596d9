import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { name, queryInt } from '../ground/fields.js'
import { sourceKinds } from './ontology-operations.js'

export const integrityStatuses = ['verified', 'unsupported', 'broken', 'unknown'] as const
export type IntegrityStatus = (typeof integrityStatuses)[number]

export const versionStatuses = ['current', 'superseded', 'contested', 'retracted', 'unsupported'] as const
export type VersionStatus = (typeof versionStatuses)[number]

/** State of a quote: found at the same or another place in its source, or the reason why not. */
export const spanStates = ['stands', 'moved', 'changed', 'forgotten', 'unclean', 'gone', 'hidden'] as const
export type SpanState = (typeof spanStates)[number]

export const evidenceQuote = z.object({
  sourceKind: z.enum(sourceKinds),
  /** Null when the reader may not know the source. */
  sourceId: z.string().nullable(),
  /** Null when the reader may not read it now. */
  quote: z.string().nullable(),
  start: z.int().nullable(),
  end: z.int().nullable(),
  state: z.enum(spanStates),
  /** True when the quote is in its source now. */
  matches: z.boolean(),
})
export type EvidenceQuote = z.infer<typeof evidenceQuote>

export const claimVersion = z.object({
  id: z.string(),
  /** Null when the reader may not read any of its sources now. */
  value: z.string().nullable(),
  status: z.enum(versionStatuses),
  confidence: z.number(),
  validFrom: z.string().nullable(),
  validUntil: z.string().nullable(),
  recordedAt: z.string(),
  expiredAt: z.string().nullable(),
  replacedBy: z.string().nullable(),
  project: z.string().nullable(),
  sessionKey: z.string().nullable(),
})

const explainedVersion = claimVersion.extend({
  evidence: z.array(evidenceQuote),
  integrity: z.enum(integrityStatuses),
})

const related = z.object({
  id: z.string(),
  /** The version on the path to the claim. */
  of: z.string(),
  depth: z.int(),
  entity: z.string(),
  aspect: z.string(),
  group: z.string(),
  claim: z.string(),
  value: z.string().nullable(),
  status: z.enum(versionStatuses),
  integrity: z.enum(integrityStatuses),
})
export type RelatedVersion = z.infer<typeof related>

const check = z.object({
  check: z.enum(['agent', 'evidence', 'premise']),
  subject: z.string(),
  allowed: z.boolean(),
})
export type AuthorizationCheck = z.infer<typeof check>

const problem = z.object({
  version: z.string().nullable(),
  problem: z.string(),
  sourceId: z.string().nullable(),
})
export type IntegrityProblem = z.infer<typeof problem>

export const explainClaim = endpoint({
  method: 'GET',
  path: '/api/ontology/claims/explain',
  summary: 'Explain a fact: its versions, its quotes, and whether they still match their sources',
  permission: 'recall',
  mutates: false,
  shortIds: { 'query.entity': ['entity'] },
  query: z.object({
    entity: name,
    aspect: name,
    group: name,
    claim: name,
    kind: z.enum(['attribute', 'constraint']).optional(),
    version_limit: queryInt({ min: 1, max: 50 }).default(20),
    premise_limit: queryInt({ min: 1, max: 100 }).default(50),
    reverse_limit: queryInt({ min: 1, max: 100 }).default(50),
    max_depth: queryInt({ min: 0, max: 3 }).default(3),
    session_key: name.optional(),
    agent_id: name.optional(),
    agentId: name.optional(),
  }),
  response: z.object({
    claim: z.object({
      entity: z.string(),
      aspect: z.string(),
      group: z.string(),
      key: z.string(),
      kind: z.enum(['attribute', 'constraint']),
    }),
    /** Newest first. */
    versions: z.array(explainedVersion),
    /** Other values in force, from other projects. */
    competing: z.array(claimVersion),
    /** Values that contradict the current one, until a user decides. */
    contradictions: z.array(claimVersion),
    premises: z.array(related),
    /** Conclusions drawn from it. */
    reverse: z.array(related),
    authorization: z.object({ decision: z.literal('allowed'), checks: z.array(check) }),
    integrity: z.object({ status: z.enum(integrityStatuses), problems: z.array(problem) }),
    /** True when a limit cut something off. */
    truncated: z.boolean(),
  }),
})
