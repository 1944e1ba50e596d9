import { z } from 'zod'
import { endpoint } from '../ground/endpoint.js'
import { clampedInt, name, projectName, timestamp } from '../ground/fields.js'
import { codeContext } from '../knowledge/code.js'
import { getEntity } from '../knowledge/ontology.js'
import { itemKinds } from '../memory/memory.js'
import { agentQuery, getMemory } from '../memory/record.js'
import { sessionTurn } from '../sessions/transcripts.js'

const searchBody = z.object({
  query: z
    .string({ error: issue => (issue.input === undefined ? 'query is required' : undefined) })
    .trim()
    .min(1)
    .max(10_000),
  /** All kinds by default. */
  kinds: z.array(z.enum(itemKinds)).min(1).max(itemKinds.length).nullish(),
  /** Only items of this project; notes, entities and other projects' items are left out. */
  project: projectName.nullish(),
  /** Author of a memory or document, agent program of a session; other kinds are left out. */
  who: name.nullish(),
  /** Times when an item was saved, captured or last changed; code has none and is left out. */
  since: timestamp.nullish(),
  until: timestamp.nullish(),
  limit: clampedInt({ min: 1, max: 100 }).default(20),
  offset: clampedInt({ min: 0, max: 1000 }).default(0),
  agentId: name.nullish(),
  agent_id: name.nullish(),
})
export type SearchItemsBody = z.infer<typeof searchBody>

const foundItem = z.object({
  kind: z.enum(itemKinds),
  /** `GET /api/items/:id` opens it. */
  id: z.string(),
  title: z.string(),
  /** The passage that answers best, shortened. */
  text: z.string(),
  project: z.string().nullable(),
  /** Author of a memory, document or note; agent program of a session. */
  who: z.string().nullable(),
  /** When it was saved, captured or last changed; null for code. */
  at: z.string().nullable(),
  /** 0..1, comparable between kinds (ranking.md#kinds-beside-each-other). */
  score: z.number(),
})
export type FoundItem = z.infer<typeof foundItem>

export const searchItems = endpoint({
  method: 'POST',
  path: '/api/search',
  summary: 'Search memories, sessions, notes, documents, code and entities in one list',
  permission: 'recall',
  mutates: false,
  metric: 'recall',
  body: searchBody,
  response: z.object({
    query: z.string(),
    /** Best first. */
    items: z.array(foundItem),
    /** Number of items found, at most 50 of each kind. */
    total: z.int(),
    /** The next offset; null at the end. */
    next: z.int().nullable(),
    /** Items found by kind. */
    counts: z.record(z.enum(itemKinds), z.int()),
    /** Kinds that could not be searched. */
    failed: z.array(z.enum(itemKinds)),
  }),
})
export type SearchItemsReply = z.infer<typeof searchItems.response>

const passage = z.object({
  id: z.string(),
  text: z.string(),
  heading: z.string().nullable(),
  page: z.string().nullable(),
})

/** A passage with its neighbours in the same text. */
const passages = z.object({
  id: z.string(),
  /** The text it is part of: a document, or an artifact of a source. */
  of: z.object({
    id: z.string(),
    title: z.string().nullable(),
    path: z.string().nullable(),
    url: z.string().nullable(),
    project: z.string().nullable(),
    /** Kind and name of the source; null for a document. */
    sourceKind: z.string().nullable(),
    sourceName: z.string().nullable(),
  }),
  passage,
  before: passage.nullable(),
  after: passage.nullable(),
})

const session = z.object({
  id: z.string(),
  sessionKey: z.string(),
  /** The first prompt; empty if there is none. */
  title: z.string(),
  harness: z.string(),
  project: z.string().nullable(),
  capturedAt: z.string(),
  /** Number of turns of the whole session. */
  total: z.int(),
  /** Position of the turn that the id names. */
  position: z.int(),
  /** That turn with those around it. */
  turns: z.array(sessionTurn),
})

export const openItem = endpoint({
  method: 'GET',
  path: '/api/items/:id',
  summary: 'Open a memory, a passage, a turn of a session, an entity or a symbol by its id',
  permission: 'recall',
  mutates: false,
  params: z.object({ id: z.string().trim().min(1).max(1000) }),
  memoryIds: ['params.id'],
  shortIds: { 'params.id': ['entity'] },
  query: agentQuery.extend({ project: projectName.optional() }),
  response: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('memory'), id: z.string(), memory: getMemory.response }),
    passages.extend({ kind: z.enum(['note', 'document']) }),
    session.extend({ kind: z.literal('session') }),
    z.object({ kind: z.literal('entity'), id: z.string(), entity: getEntity.response }),
    z.object({ kind: z.literal('code'), id: z.string(), code: codeContext.response }),
  ]),
})
export type OpenedItem = z.infer<typeof openItem.response>
