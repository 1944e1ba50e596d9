import type { Attention } from '../../../../store/tables/knowledge/attentions.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { piecesOfArtifact } from '../evidence/artifacts.js'
import { piecesOfConversation } from '../evidence/conversations.js'
import type { AgentPiece } from '../evidence/evidence.js'
import { piecesOfMemories } from '../evidence/memories.js'
import { breathe, modeOf, type Pass, PassStopped, scopeOf } from '../pass/pass.js'
import { readPieces } from '../pass/read-pieces.js'
import { type Ended, proposeMerges } from './propose-merges.js'

const batchRows = 200
const maxAttempts = 5
const firstDelayMs = 60_000

/**
 * Looks at attentions that wait, oldest first (knowledge.md#attentions). Each comes to an end: an attempt is counted
 * before it is made, so that a look that ends the daemon is made so often at most, and each further one waits twice as
 * long by the clock.
 */
export async function lookAtAttentions(pass: Pass, { hasUnread }: { hasUnread: boolean }): Promise<void> {
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
      const ended = await look(pass, attention)
      if (ended) await end(pass, attention, ended)
    } catch (error) {
      if (error instanceof PassStopped) throw error
      pass.deps.log.warn({ err: error, kind: attention.kind }, 'attention not looked at, will be again')
      pass.counts.add('attentions.retried')
    }
  }
}

/** @returns undefined when it was ended together with what it led to. */
async function look(pass: Pass, attention: Attention): Promise<Ended | undefined> {
  switch (attention.kind) {
    case 'new_evidence':
      return readNamed(pass, attention)
    case 'review_due':
      return attention.subject_kind === 'memory'
        ? proposeReview(pass, attention)
        : lookAtUnsupported(pass, attention)
    case 'hygiene':
      return proposeMerges(pass, attention.agent_id)
    case 'contradiction':
      return contested(pass, attention)
    default:
      return lookAtUnsupported(pass, attention)
  }
}

/** A contested value is a person's to decide; rules know no better. */
async function contested({ deps }: Pass, { subject }: Attention): Promise<Ended> {
  const waiting = await deps.store.tables.claims.standing(subject, ['contested'])
  return waiting.length === 0 ? { state: 'empty' } : { state: 'declined', detail: 'a person decides' }
}

async function begin({ deps: { store, clock } }: Pass, { id, attempts }: Attention): Promise<void> {
  const now = clock()
  const next = new Date(now.getTime() + firstDelayMs * 2 ** attempts).toISOString()
  await store.transaction(tables => tables.attentions.begin(id, next, now.toISOString()))
}

async function end({ deps, counts }: Pass, { id, detail }: Attention, ended: Ended): Promise<void> {
  await deps.store.transaction(tables =>
    tables.attentions.end(
      id,
      { state: ended.state, detail: ended.detail ?? detail },
      deps.clock().toISOString(),
    ),
  )
  counts.add(`attentions.${ended.state}`)
}

/** So much of a memory stands in the proposal as its evidence. */
const quoted = 500

/**
 * A memory whose time of review has come is put before a person: to forget it, or, by rejecting that, to keep it. The
 * proposal and the end of the attention are one transaction, so that nobody is asked twice.
 * @returns undefined when it was ended so.
 */
async function proposeReview(pass: Pass, attention: Attention): Promise<Ended | undefined> {
  const { id, agent_id: agentId, subject } = attention
  const pieces = await piecesOfMemories(pass.deps, [subject])
  const piece = pieces.find(one => one.agentId === agentId)?.piece
  if (!piece) return { state: 'empty' }
  const operation = {
    operation: 'forget_memory' as const,
    payload: { memory: subject },
    reason: 'it is to be reviewed: apply to forget it, reject to keep it',
    confidence: 0.5,
    evidence: [{ sourceKind: 'memory' as const, sourceId: subject, quote: piece.text.slice(0, quoted) }],
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

/** What rests on one source, as far as it is looked at. */
const maxSubjects = 500

/**
 * What was drawn from a source that speaks for nothing any more. Where others say it too, all is well; what rests on it
 * alone stays as it is and is told to nobody, until its source is back or somebody says it again.
 */
async function lookAtUnsupported(pass: Pass, attention: Attention): Promise<Ended> {
  const { agent_id: agentId, subject_kind: kind, subject: id } = attention
  const { claims, evidenceSpans } = pass.deps.store.tables
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

/** Reads what an attention names. What a source brought was read before, with everything that came. */
async function readNamed(pass: Pass, attention: Attention): Promise<Ended> {
  if (attention.subject_kind === 'source') return { state: 'done' }
  const pieces = await piecesOf(pass, attention)
  if (pieces.length === 0) return { state: 'empty' }
  const found = await readPieces(pass, pieces)
  return { state: found > 0 ? 'done' : 'empty' }
}

async function piecesOf({ deps }: Pass, attention: Attention): Promise<AgentPiece[]> {
  const { subject_kind: kind, subject, agent_id: agentId } = attention
  if (kind === 'summary') return pieceOfSummary(deps, agentId, subject)
  const all = {
    memory: () => piecesOfMemories(deps, [subject]),
    transcript: () => piecesOfConversation(deps, agentId, subject),
    artifact: () => piecesOfArtifact(deps, subject),
  }[kind]
  return ((await all?.()) ?? []).filter(piece => piece.agentId === agentId)
}

async function pieceOfSummary({ store }: Pass['deps'], agentId: string, id: string): Promise<AgentPiece[]> {
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
