import type { Attention, AttentionOutcome } from '../../../../store/tables/knowledge/dreaming.js'
import type { EntityRow } from '../../../../store/tables/knowledge/entities.js'
import type { NamedSources } from '../../../../store/tables/knowledge/replaced-values.js'
import { firstHolder } from '../../../../store/tables/memory/holders.js'
import { settleSlots } from '../../../ground/entities/settle-values.js'
import { storageContent } from '../../../memory/records/normalise-content.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { ruleReasons } from '../deterministic/fact-operations.js'
import type { AgentText } from '../evidence/evidence.js'
import {
  manifestOfDocument,
  textsOfArtifact,
  textsOfConversation,
  textsOfMemories,
} from '../evidence/streams.js'
import { endGone } from '../pass/end-facts.js'
import { breathe, type DreamingPass, modeOf, PassStopped, scopeOf } from '../pass/pass.js'
import { readManifests } from '../pass/read-manifests.js'
import { readTexts } from '../pass/read-pieces.js'

const batchRows = 200
const maxAttempts = 5
const firstDelayMs = 60_000

const reviewRows = 100

/**
 * Handles due attentions, oldest first (knowledge.md#attentions). Attempts are counted before they begin and
 * limited, so that an attention that crashes the daemon cannot do so forever; the delay doubles after each
 * one.
 */
export async function handleAttentions(
  pass: DreamingPass,
  { hasUnread }: { hasUnread: boolean },
): Promise<void> {
  const { attentions } = pass.deps.store.tables
  for (const attention of await attentions.due(pass.deps.clock().toISOString(), batchRows)) {
    await breathe(pass)
    pass.counts.add('attentions')
    if (attention.attempts >= maxAttempts) {
      await end(pass, attention, { state: 'failed' })
      continue
    }
    if (attention.kind === 'new_evidence' && attention.subject_kind === 'source' && hasUnread) continue
    await begin(pass, attention)
    try {
      const ended = await handleAttention(pass, attention)
      if (ended) await end(pass, attention, ended)
    } catch (error) {
      if (error instanceof PassStopped) throw error
      pass.deps.log.warn({ err: error, kind: attention.kind }, 'attention not processed; will retry')
      pass.counts.add('attentions.retried')
    }
  }
}

/** @returns undefined if it was already ended in the same transaction as its effect */
async function handleAttention(pass: DreamingPass, attention: Attention): Promise<AttentionEnd | undefined> {
  switch (attention.kind) {
    case 'new_evidence':
      return readSubject(pass, attention)
    case 'review_due':
      return attention.subject_kind === 'memory'
        ? proposeReview(pass, attention)
        : checkUnsupported(pass, attention)
    case 'hygiene':
      return proposeMerges(pass, attention.agent_id)
    case 'contradiction':
      return leaveContested(pass, attention)
    default:
      return checkUnsupported(pass, attention)
  }
}

/** Leaves contested values to a person, because rules cannot decide them. */
async function leaveContested({ deps }: DreamingPass, { subject }: Attention): Promise<AttentionEnd> {
  const waiting = await deps.store.tables.claims.standing(subject, ['contested'])
  return waiting.length === 0
    ? { state: 'empty' }
    : { state: 'declined', detail: 'needs a decision by a person' }
}

async function begin({ deps: { store, clock } }: DreamingPass, { id, attempts }: Attention): Promise<void> {
  const now = clock()
  const next = new Date(now.getTime() + firstDelayMs * 2 ** attempts).toISOString()
  await store.transaction(tables => tables.attentions.begin(id, next, now.toISOString()))
}

async function end(
  { deps, counts }: DreamingPass,
  { id, detail }: Attention,
  ended: AttentionEnd,
): Promise<void> {
  await deps.store.transaction(tables =>
    tables.attentions.end(
      id,
      { state: ended.state, detail: ended.detail ?? detail },
      deps.clock().toISOString(),
    ),
  )
  counts.add(`attentions.${ended.state}`)
}

/** Length of a memory's text that the proposal quotes as evidence. */
const quoted = 500

/**
 * Proposes to forget a memory whose review is due; rejecting the proposal keeps it. Proposal and end of the
 * attention are one transaction, so that nobody is asked twice.
 * @returns undefined if it was ended this way
 */
async function proposeReview(pass: DreamingPass, attention: Attention): Promise<AttentionEnd | undefined> {
  const { id, agent_id: agentId, subject } = attention
  const pieces = await textsOfMemories(pass.deps, [subject])
  const piece = pieces.find(one => one.agentId === agentId)?.piece
  if (!piece) return { state: 'empty' }
  const operation = {
    operation: 'forget_memory' as const,
    payload: { memory: subject },
    reason: 'needs review: apply to forget it, reject to keep it',
    confidence: 0.5,
    evidence: [
      {
        sourceKind: 'memory' as const,
        sourceId: subject,
        quote: storageContent(piece.text).slice(0, quoted),
      },
    ],
  }
  const scope = scopeOf(pass, agentId, piece.project)
  const done = { state: 'done' as const, detail: attention.detail }
  const { status } = await performOperation(pass.deps, scope, operation, modeOf(pass, false), {
    also: async ({ attentions }) => {
      await attentions.end(id, done, pass.deps.clock().toISOString())
    },
  })
  pass.counts.add(`operations.${status}`)
  pass.counts.add('by.review')
  pass.counts.add('attentions.done')
  return undefined
}

/** Limit of facts checked per source. */
const maxSubjects = 500

/**
 * Checks facts from a source that is gone. Facts with other sources are fine; facts that only this source
 * supports stay stored but hidden, until the source is back or another one supports them.
 */
async function checkUnsupported(pass: DreamingPass, attention: Attention): Promise<AttentionEnd> {
  const { agent_id: agentId, subject_kind: kind, subject: id } = attention
  const { claims, evidenceSpans } = pass.deps.store.tables
  await settleFacts(pass, attention)
  await endOfGone(pass, attention)
  const { reader } = scopeOf(pass, agentId, null)
  const subjects = await evidenceSpans.subjectsOf(agentId, { kind, id }, maxSubjects)
  if (subjects.length === 0) return kind === 'source' ? { state: 'declined' } : { state: 'empty' }
  const held = (await claims.loadVersions(subjects)).filter(({ status }) => status === 'current')
  const told = await claims.toldVersions(
    held.map(version => version.id),
    reader.boundary,
  )
  const silent = held.filter(version => !told.has(version.id)).length
  return silent === 0 ? { state: 'done' } : { state: 'declined', detail: JSON.stringify({ silent }) }
}

/** Slots settled in one transaction. */
const maxSlots = 50

/** Makes the values current again that those of a lost or corrected source replaced. */
async function settleFacts(
  pass: DreamingPass,
  { subject_kind: kind, subject: id }: Attention,
): Promise<void> {
  const { store } = pass.deps
  const slots = await store.tables.replacedValues.slotsOf({ kind: kind as NamedSources['kind'], ids: [id] })
  for (let from = 0; from < slots.length; from += maxSlots) {
    await breathe(pass)
    await store.transaction(tables => settleSlots(pass.deps, tables, slots.slice(from, from + maxSlots)))
  }
}

/**
 * Ends what rules drew from an artifact that is gone, and what they drew from manifests. Facts of a forgotten
 * memory, and of a file that was imported, only stay hidden (knowledge.md#forgetting).
 */
async function endOfGone(
  pass: DreamingPass,
  { agent_id: agentId, subject_kind: kind, subject: id }: Attention,
): Promise<void> {
  const { evidenceSpans, memories, sourceArtifacts } = pass.deps.store.tables
  const { text, manifest } = ruleReasons
  if (kind === 'artifact' && !(await sourceArtifacts.ofAgent(agentId, id)))
    await endGone(pass, agentId, 'artifact', { ids: [id], reasons: [text, manifest] })
  if (kind === 'source') {
    const gone: string[] = []
    for (const artifact of await evidenceSpans.artifactsOf(id, maxSubjects))
      if (!(await sourceArtifacts.ofAgent(agentId, artifact))) gone.push(artifact)
    await endGone(pass, agentId, 'artifact', { ids: gone, reasons: [manifest] })
  }
  if (kind === 'memory' && (await memories.load([id])).every(({ is_deleted }) => is_deleted === 1))
    await endGone(pass, agentId, 'memory', { ids: [id], reasons: [manifest] })
}

/** Reads the subject of an attention. New texts of sources were already read by the pass itself. */
async function readSubject(pass: DreamingPass, attention: Attention): Promise<AttentionEnd> {
  if (attention.subject_kind === 'source') return { state: 'done' }
  if (attention.subject_kind === 'document') return readDocumentManifest(pass, attention)
  const pieces = await textsOfSubject(pass, attention)
  if (pieces.length === 0) return { state: 'empty' }
  const found = await readTexts(pass, pieces)
  return { state: found > 0 ? 'done' : 'empty' }
}

async function readDocumentManifest(pass: DreamingPass, { subject }: Attention): Promise<AttentionEnd> {
  const manifests = await manifestOfDocument(pass.deps, subject)
  await readManifests(pass, manifests)
  return { state: manifests.length > 0 ? 'done' : 'empty' }
}

async function textsOfSubject({ deps }: DreamingPass, attention: Attention): Promise<AgentText[]> {
  const { subject_kind: kind, subject, agent_id: agentId } = attention
  if (kind === 'summary') return textOfSummary(deps, agentId, subject)
  const all = {
    memory: () => textsOfMemories(deps, [subject]),
    transcript: () => textsOfConversation(deps, agentId, subject),
    artifact: () => textsOfArtifact(deps, subject),
  }[kind]
  return ((await all?.()) ?? []).filter(piece => piece.agentId === agentId)
}

async function textOfSummary(
  { store }: DreamingPass['deps'],
  agentId: string,
  id: string,
): Promise<AgentText[]> {
  const row = await store.tables.summaryNodes.find(agentId, id)
  const isTellable = (await store.tables.summaryNodes.tellable([id])).has(id)
  if (!row || !isTellable) return []
  const { content: text, project, session_key: sessionKey, harness: speaker, ends_at: at } = row
  return [
    {
      agentId,
      named: [],
      piece: { sourceKind: 'summary', sourceId: id, text, speaker, at, project, sessionKey },
    },
  ]
}

/** Entities compared at once: the most recently changed ones. */
const maxCompared = 1000

/**
 * Proposes to merge entities of one agent and type whose names differ in spaces and punctuation only (`Type
 * Script`, `TypeScript`): the newer into the older one. Pairs that were proposed before are skipped.
 */
async function proposeMerges(pass: DreamingPass, agentId: string): Promise<AttentionEnd> {
  const { tables } = pass.deps.store
  const entities = await tables.entities.page(agentId, undefined, maxCompared)
  let proposedCount = 0
  for (const [into, ...others] of sameNames(entities))
    for (const from of others) {
      await breathe(pass)
      const payload = { from: from.id, into: into!.id }
      if (await tables.ontologyRecords.askedToMerge(agentId, JSON.stringify(payload))) continue
      const operation = {
        operation: 'merge_entities' as const,
        payload,
        reason: 'their names differ only in spaces and punctuation',
        confidence: 0.8,
        evidence: [],
      }
      const { status } = await performOperation(
        pass.deps,
        scopeOf(pass, agentId, null),
        operation,
        modeOf(pass, false),
      )
      pass.counts.add(`operations.${status}`)
      pass.counts.add('by.same-name')
      proposedCount++
    }
  return { state: proposedCount > 0 ? 'done' : 'empty' }
}

/** Groups of at least two, the oldest entity first. */
function sameNames(entities: readonly EntityRow[]): EntityRow[][] {
  const groups = new Map<string, EntityRow[]>()
  for (const entity of entities) {
    const key = `${entity.entity_type} ${entity.name_key.replaceAll(' ', '')}`
    groups.set(key, [...(groups.get(key) ?? []), entity])
  }
  return [...groups.values()]
    .filter(({ length }) => length > 1)
    .map(group => group.sort((a, b) => (a.created_at < b.created_at ? -1 : 1)))
}

/** The outcome of an attention; `detail` gives more information. */
interface AttentionEnd {
  state: AttentionOutcome
  detail?: string | null
}

/** Adds an attention for each memory whose review is due (rules.md 4.3), once per agent that holds it. */
export async function queueReviews(pass: DreamingPass): Promise<void> {
  const { store, clock, newId } = pass.deps
  const { meta, memories, holders } = store.tables
  const now = clock().toISOString()
  for (;;) {
    await breathe(pass)
    const [time = '', id = ''] = ((await meta.placeOf('dream-reviews')) ?? '').split(' ')
    const due = await memories.dueForReview({ time, id }, now, reviewRows)
    const last = due.at(-1)
    if (!last) return
    const ids = due.map(row => row.id)
    const rows = await memories.load(ids)
    const further = await holders.of(ids)
    await store.transaction(async tables => {
      for (const row of rows) {
        const all = [firstHolder(row), ...(further.get(row.id) ?? [])]
        for (const agent_id of new Set(all.map(holder => holder.agent_id)))
          await tables.attentions.add({
            id: newId(),
            agent_id,
            subject_kind: 'memory',
            subject: row.id,
            kind: 'review_due',
            detail: row.review_after,
            created_at: now,
          })
      }
      await tables.meta.notePlace('dream-reviews', `${last.review_after} ${last.id}`)
    })
  }
}
