import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, importance, memoryType, name, reason, tags, timestamp } from '../ground/fields.js'

/** An entity by its id, its name or an active alias. */
const entity = name
/** Type of an entity to create if needed when the operation is applied; without it, the entity must exist. */
const ofNew = name.nullish()
const value = z.string().trim().min(1).max(4000)
const validity = { validFrom: timestamp.nullish(), validUntil: timestamp.nullish() }
/** Ids of claim versions. */
const premises = z.array(id).max(50).nullish()

export const sourceKinds = ['memory', 'transcript', 'artifact', 'summary'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** Payload of each operation. */
export const payloads = {
  create_entity: z.object({
    name,
    type: name,
    aliases: z.array(name).max(50).nullish(),
    /** Protects it from clean-up. */
    pinned: z.boolean().nullish(),
  }),
  add_alias: z.object({ entity, entityType: ofNew, alias: name }),
  retire_alias: z.object({ entity, alias: name }),
  /** Merges the first into the second. */
  merge_entities: z.object({ from: entity, into: entity }),
  /** Moves facts, given by ids of versions or links, to a new entity. */
  split_entity: z.object({
    entity,
    name,
    type: name.nullish(),
    aliases: z.array(name).max(50).nullish(),
    facts: z.array(id).max(500).nullish(),
  }),
  assert_claim: z.object({
    entity,
    entityType: ofNew,
    aspect: name,
    group: name.default('general'),
    claim: name,
    kind: z.enum(['attribute', 'constraint']).default('attribute'),
    value,
    ...validity,
    premises,
  }),
  /** Replaces a current or contested version with another value. */
  supersede_claim: z.object({ version: id, value, ...validity, premises }),
  retract_claim: z.object({ version: id }),
  link: z.object({
    from: entity,
    fromType: ofNew,
    relation: name,
    to: entity,
    toType: ofNew,
    ...validity,
  }),
  unlink: z.object({ link: id }),
  add_memory: z.object({
    content: z.string().trim().min(1).max(100_000),
    type: memoryType.nullish(),
    tags: tags.nullish(),
  }),
  supersede_memory: z.object({ memory: id, supersededBy: id }),
  forget_memory: z.object({ memory: id }),
  /** Links a memory to an entity that it names (repair only). */
  mention_entity: z.object({ entity }),
  /** Deletes an entity with a meaningless name (repair only); the audit record keeps names and type. */
  prune_entity: z.object({ entity, name, type: name, aliases: z.array(name).max(50) }),
  /**
   * Ends a version or link that its source does not say any more (Dreaming only). `misread` brings back the
   * value that it replaced.
   */
  end_fact: z.object({
    fact: id,
    sourceKind: z.enum(sourceKinds),
    sourceId: z.string().min(1).max(1024),
    misread: z.boolean(),
  }),
} as const

export type OperationName = keyof typeof payloads
export type Payload<Name extends OperationName> = z.infer<(typeof payloads)[Name]>

const evidence = z.object({
  sourceKind: z.enum(sourceKinds),
  /** Id of a memory, summary or artifact; session key of a transcript. */
  sourceId: z.string().trim().min(1).max(1024),
  /** Verbatim quote from the source; for a transcript within one message. */
  quote: z.string().min(1).max(4000),
})
export type Evidence = z.infer<typeof evidence>

const common = { reason, confidence: importance, evidence: z.array(evidence).max(20).default([]) }

const operationOf = <const Name extends OperationName>(operation: Name) =>
  z.object({ operation: z.literal(operation), payload: payloads[operation], ...common })

export const operation = z.discriminatedUnion('operation', [
  operationOf('create_entity'),
  operationOf('add_alias'),
  operationOf('retire_alias'),
  operationOf('merge_entities'),
  operationOf('split_entity'),
  operationOf('assert_claim'),
  operationOf('supersede_claim'),
  operationOf('retract_claim'),
  operationOf('link'),
  operationOf('unlink'),
  operationOf('add_memory'),
  operationOf('supersede_memory'),
  operationOf('forget_memory'),
])
/** Operations of the service itself, applied and recorded in the same way. */
export const repairOperation = z.discriminatedUnion('operation', [
  operationOf('mention_entity'),
  operationOf('prune_entity'),
  operationOf('end_fact'),
])
export type Operation = z.infer<typeof operation> | z.infer<typeof repairOperation>
/** Operation before parsing, with defaults omitted. */
export type NewOperation = z.input<typeof operation>

export const operationStatuses = ['applied', 'proposed', 'blocked', 'deduplicated', 'rejected'] as const
export type OperationStatus = (typeof operationStatuses)[number]

const result = z.object({
  index: z.int(),
  status: z.enum(operationStatuses),
  /** Id of the thing created, changed or found. */
  id: z.string().optional(),
  proposalId: z.string().optional(),
  /** Reason code of a blocked or rejected operation (docs/knowledge.md). */
  blockedReason: z.string().optional(),
})
export type OperationResult = z.infer<typeof result>

export const performOperations = endpoint({
  method: 'POST',
  path: '/api/ontology/operations',
  summary: 'Change entities and facts; each operation cites quotes as evidence',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  body: z.object({
    operations: z.array(operation).min(1).max(200),
    agentId: name.nullish(),
    agent_id: name.nullish(),
    /** Every source must belong to this project, or to none. */
    project: z.string().trim().min(1).max(1024).nullish(),
    /** `propose` leaves the decision to a user. `shadow` only records. */
    mode: z.enum(['apply', 'propose', 'shadow']).default('apply'),
  }),
  response: z.object({ results: z.array(result) }),
})
