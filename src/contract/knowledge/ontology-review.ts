import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { id, name, queryInt, statusWords } from '../ground/fields.js'
import { sourceKinds } from './ontology-operations.js'

/** The agent whose suggestions are read or decided. */
const whose = { agentId: name.optional(), agent_id: name.optional() }
const named = { agentId: name.nullish(), agent_id: name.nullish() }

/**
 * `keep` leaves the current value, `replace` takes the suggestion, `both` keeps the two. `not_a_fact` says
 * that the text was misread.
 */
export const reviewDecisions = ['keep', 'replace', 'both', 'not_a_fact'] as const
export type ReviewDecision = (typeof reviewDecisions)[number]

/** Cards that a person is shown a day without asking for more. */
export const cardsPerDay = 10

const side = z.object({
  /** As one reads it, for example `port: 7421`. */
  text: z.string(),
  /** When it became true, if a source says so; otherwise when it was noted. */
  since: z.string().nullable(),
  sources: z.array(z.object({ kind: z.enum(sourceKinds), id: z.string(), quote: z.string() })),
})
export type CardSide = z.infer<typeof side>

const card = z.object({
  /** Id of its proposal. */
  id: z.string(),
  /** `contradiction`: two values; `memory`: a change of a memory; the others are new. */
  kind: z.enum(['contradiction', 'fact', 'relation', 'name', 'merge', 'memory']),
  /** Name of the entity; empty when it concerns none. */
  entity: z.string(),
  /** Attribute in question, for example `network > port`. */
  title: z.string(),
  /** The current state; null when nothing contradicts the suggestion. */
  current: side.nullable(),
  suggested: side,
  choices: z.array(z.enum(reviewDecisions)),
  project: z.string().nullable(),
  createdAt: z.string(),
  /** Further proposals of the same fact, which are decided with it. */
  alike: z.array(z.string()),
})
export type ReviewCard = z.infer<typeof card>

export const reviewCards = endpoint({
  method: 'GET',
  path: '/api/ontology/review',
  summary: 'List open suggestions as cards, most valuable first, grouped by entity',
  permission: 'recall',
  mutates: false,
  query: z.object({
    limit: queryInt({ min: 1, max: 100 }).default(cardsPerDay),
    /** Only cards of this entity: its id, name or alias. */
    entity: name.optional(),
    /** Also more than ten a day. */
    all: z.enum(['true', 'false']).default('false'),
    ...whose,
  }),
  response: z.object({
    cards: z.array(card),
    count: z.int(),
    /** All open suggestions, as status and doctor count them. */
    waiting: z.int(),
    decidedToday: z.int(),
    /** Cards that are shown today without `all`. */
    leftToday: z.int(),
  }),
})

const decided = z.object({
  id: z.string(),
  status: z.enum(['decided', 'not_found', 'already_decided', 'rejected', 'not_a_choice']),
  /** Reason code of a suggestion that can no longer be applied (docs/knowledge.md). */
  blockedReason: z.string().optional(),
})
export type DecidedCard = z.infer<typeof decided>

export const decideCards = endpoint({
  method: 'POST',
  path: '/api/ontology/review',
  summary: 'Decide suggestions; all decisions of a request are undone together',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  body: z.object({
    decisions: z
      .array(z.object({ id, decision: z.enum(reviewDecisions) }))
      .min(1)
      .max(100),
    ...named,
  }),
  shortIds: { 'body.decisions': ['proposal'] },
  response: z.object({
    results: z.array(decided),
    /** Names the decisions for an undo. */
    batch: z.string(),
  }),
})

const undoOutcomes = {
  undone: [200],
  nothing_to_undo: [404, 'nothing to undo: no decision, merge or split of the last 30 days is left'],
  changed_since: [409, 'the facts have changed since then; memory review shows what is open now'],
} as const

export const undoOntology = endpoint({
  method: 'POST',
  path: '/api/ontology/undo',
  summary: 'Undo the last decisions, merge, split or alias, or those of a batch',
  permission: 'modify',
  mutates: true,
  bucket: 'modify',
  body: z.object({
    /** `batch` of a reply; by default the last one. */
    batch: id.nullish(),
    ...named,
  }),
  response: z.object({
    status: statusWords(undoOutcomes),
    batch: z.string().optional(),
    /** Titles of what was undone. */
    undone: z.array(z.string()).optional(),
  }),
  outcomes: undoOutcomes,
})
