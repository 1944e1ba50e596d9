import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import type { Reply } from '../../../contract/api.js'
import type { Operation as OntologyOperation } from '../../../contract/knowledge/ontology-operations.js'
import type { relinkEntities as endpoint } from '../../../contract/operations/repair/repair.js'
import { countOf } from '../../../lib/text/count-of.js'
import { byId, pagesOf } from '../../../lib/workspace/pages-of.js'
import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import type { Tables } from '../../../store/tables/tables.js'
import { findNamedEntities } from '../../ground/entities/find-named-entities.js'
import { nameWords } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { performOperations } from '../../knowledge/ontology/perform-operation.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Operation, openOperation, saveOperation } from './run/operations.js'
import type { RepairRun } from './run/run-repair.js'

type Body = z.infer<typeof endpoint.body> & { agentId: string }
type RelinkReply = Reply<'POST /api/repair/relink-entities'>
type Relink = Operation<{ after: string }, { processed: number; linked: number }>

/** Memories per statement. */
const pageSize = 500
/** Entities linked per memory. */
const maxEntities = 20
/** UTF-16 units of a text searched for names: longer texts name too many entities. */
const maxText = 64_000
/** Length limit of a quote in an ontology operation. */
const maxQuote = 4000
/** Time limit of one call. */
const runMs = 10_000

/**
 * Links memories without entities to the known entities named in their text, one batch per call. No entities
 * are created, and each mention is a recorded ontology operation with a quote (knowledge.md#operations).
 * Memories that name none are skipped; the end of a round repairs mention counts and lost names.
 */
export async function relinkEntities(
  daemon: Daemon,
  caller: Caller,
  run: RepairRun,
  body: Body,
): Promise<RelinkReply> {
  const { agentId, batchSize, dryRun } = body
  const operation: Relink = await openRelink(daemon, run, body)
  const until = performance.now() + runMs
  const { ids, next } = await nextUnlinked(daemon, agentId, operation.place.after, batchSize)
  const named = new Set<string>()
  let processed = 0
  let linked = 0
  for (const id of ids) {
    if (run.signal.aborted || performance.now() > until) break
    await daemon.hooksInFlight.quiet(run.signal)
    const mentions = await mentionsOf(daemon, agentId, id)
    const done = dryRun
      ? mentions.map(({ entityId }) => entityId)
      : await link(daemon, caller, agentId, mentions)
    for (const entity of done) named.add(entity)
    processed++
    if (done.length > 0) linked++
    operation.place = { after: id }
    await nextTurn()
  }
  operation.counts.processed += processed
  operation.counts.linked += linked
  const isWhole = processed === ids.length && next === undefined
  if (isWhole) operation.status = 'complete'
  if (!dryRun) {
    if (isWhole) await repairEntities(daemon, run.signal)
    await daemon.store.write({ until: 'executed' }, tables => saveOperation(tables, daemon, operation))
  }
  const unlinked = await countUnlinked(daemon, agentId, operation.place.after, run.signal)
  const what = countOf(linked, 'memory', 'memories')
  return {
    action: run.action,
    success: true,
    affected: linked,
    message: `${what} of ${processed} ${dryRun ? 'would be' : 'were'} linked to ${countOf(named.size, 'entity', 'entities')}${isWhole ? '' : '; call again to continue'}`,
    dryRun,
    processed,
    linked,
    entities: named.size,
    aspects: 0,
    attributes: 0,
    remaining: isWhole ? 0 : unlinked.behind,
    projectedRemaining: Math.max(0, unlinked.all - (dryRun ? linked : 0)),
    details: { operationId: dryRun ? null : operation.id, complete: isWhole },
  }
}

function openRelink(daemon: Daemon, run: RepairRun, { agentId, dryRun }: Body): Promise<Relink> | Relink {
  const start = { place: { after: '' }, counts: { processed: 0, linked: 0 } }
  if (dryRun) return { id: '', status: 'running', error: null, ...start }
  return openOperation(daemon, { action: run.action, scope: { agentId }, start: async () => start })
}

/** The next memories without a mention. @returns `next`: the position after which more may follow */
async function nextUnlinked(
  { store }: Pick<Daemon, 'store'>,
  agentId: string,
  after: string,
  limit: number,
): Promise<{ ids: string[]; next: string | undefined }> {
  const ids: string[] = []
  for await (const page of memoriesFrom({ store }, agentId, after)) {
    for (const { id, isUnlinked } of page) {
      if (!isUnlinked) continue
      ids.push(id)
      if (ids.length === limit) return { ids, next: id }
    }
  }
  return { ids, next: undefined }
}

/** Counts an agent's memories without a mention: all, and those after a position. */
async function countUnlinked(
  { store }: Pick<Daemon, 'store'>,
  agentId: string,
  place: string,
  signal: AbortSignal,
): Promise<{ all: number; behind: number }> {
  const count = { all: 0, behind: 0 }
  for await (const page of memoriesFrom({ store }, agentId, '')) {
    if (signal.aborted) break
    for (const { id, isUnlinked } of page) {
      if (!isUnlinked) continue
      count.all++
      if (id > place) count.behind++
    }
  }
  return count
}

function memoriesFrom({ store }: Pick<Daemon, 'store'>, agentId: string, from: string) {
  const read = (after: string, limit: number) => store.tables.unlinkedMemories.after(agentId, after, limit)
  return pagesOf({ from, limit: pageSize, read, placeOf: byId })
}

interface Mention {
  memoryId: string
  entityId: string
  /** The name as written in the text. */
  quote: string
}

async function mentionsOf(daemon: Daemon, agentId: string, memoryId: string): Promise<Mention[]> {
  const [row] = await daemon.store.tables.memories.load([memoryId])
  if (!row || row.is_deleted === 1) return []
  const text = row.content.slice(0, maxText)
  const found = await findNamedEntities(daemon, agentId, text, maxEntities)
  return found.flatMap(({ id: entityId, name_key }: NamedEntity) => {
    const quote = quoteOfName(text, name_key)
    return quote === undefined || quote.length > maxQuote ? [] : [{ memoryId, entityId, quote }]
  })
}

/** @returns the entities linked to the memory. */
async function link(
  daemon: Daemon,
  caller: Caller,
  agentId: string,
  mentions: readonly Mention[],
): Promise<string[]> {
  const operations = mentions.map(
    ({ memoryId, entityId, quote }): OntologyOperation => ({
      operation: 'mention_entity',
      payload: { entity: entityId },
      reason: 'repair: the memory names the entity',
      confidence: 1,
      evidence: [{ sourceKind: 'memory', sourceId: memoryId, quote }],
    }),
  )
  if (operations.length === 0) return []
  // Evidence comes from other sessions, so the caller's session must not restrict it.
  const asked = { ...caller, sessionKey: undefined }
  const performed = await performOperations(daemon, asked, { operations, mode: 'apply', agentId })
  return performed.flatMap(({ status, id }) => (status === 'applied' && id !== undefined ? [id] : []))
}

/** Recounts wrong mention counts, and restores missing names unless another entity took them. */
async function repairEntities({ store }: Pick<Daemon, 'store'>, signal: AbortSignal): Promise<void> {
  const { rowDamage, entities } = store.tables
  for await (const page of pagesOf({ from: '', limit: pageSize, read: rowDamage.entities, placeOf: byId })) {
    if (signal.aborted) break
    for (const { id, miscounted, unnamed } of page) {
      if (miscounted === 1) await entities.recount(id)
      if (unnamed === 1) await store.transaction(tables => restoreName(tables, id))
    }
  }
}

async function restoreName({ entities }: Pick<Tables, 'entities'>, id: string): Promise<void> {
  const [entity] = await entities.load([id])
  if (!entity || (await entities.byName(entity.agent_id, entity.name_key))) return
  const { agent_id, name_key, name } = entity
  await entities.putName({ agent_id, name_key, entity_id: id, name })
}

/** A written word with the signs that distinguish names (C++, C#). */
const written = /[\p{L}\p{M}\p{N}]+[+#]*/gu

/** A folded word with its position in the text. */
interface WordSpan {
  word: string
  start: number
  end: number
}

/**
 * Finds where a text names an entity: the first run of words that fold to the key, quoted as written.
 * @param key folded words separated by single spaces, see `nameKey`
 * @returns undefined when the text does not name it.
 */
export function quoteOfName(text: string, key: string): string | undefined {
  const wanted = key.split(' ')
  const words = wordSpans(text)
  for (let at = 0; at + wanted.length <= words.length; at++) {
    if (!wanted.every((word, offset) => words[at + offset]?.word === word)) continue
    return text.slice(words[at]?.start, words[at + wanted.length - 1]?.end)
  }
  return undefined
}

/** In scripts without spaces each character is a word, and the whole written run stands for each of them. */
function wordSpans(text: string): WordSpan[] {
  return [...text.matchAll(written)].flatMap(({ 0: run, index }) =>
    nameWords(run).map(word => ({ word, start: index, end: index + run.length })),
  )
}
