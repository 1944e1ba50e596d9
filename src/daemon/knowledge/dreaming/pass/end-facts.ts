import type { Operation, SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import type { DrawnFact } from '../../../../store/tables/knowledge/evidence-spans.js'
import { performOperation } from '../../ontology/perform-operation.js'
import { keptCurrent, openStatuses } from '../../ontology/proposals.js'
import { ruleReasons } from '../deterministic/fact-operations.js'
import type { AgentText } from '../evidence/evidence.js'
import { type AskedOperations, keyOf } from './asked-operations.js'
import { breathe, type DreamingPass, modeOf, pipelineActor, scopeOf } from './pass.js'
import { otherValues } from './successor.js'

const reasons = {
  gone: 'its text does not say it any more',
  misread: 'the rules do not read it in its text any more',
}

/** Texts that were read, and the results. */
export interface TextReading {
  agentId: string
  pieces: readonly AgentText[]
  /** True if the rules changed since the texts were last read. */
  isAgain: boolean
  /** Ids of versions and links that each source said now, by its kind and id. */
  drawn: ReadonlyMap<string, ReadonlySet<string>>
  /** The extracted operations. */
  keys: ReadonlySet<string>
}

/** Names a source in `drawn`. */
export function sourceKey({ sourceKind, sourceId }: { sourceKind: string; sourceId: string }): string {
  return `${sourceKind}:${sourceId}`
}

/**
 * Ends the facts that rules once drew from texts and do not draw now, and takes their suggestions back. Facts
 * that a person confirmed stay (knowledge.md#dreaming).
 */
export async function endUndrawn(
  pass: DreamingPass,
  asked: AskedOperations,
  reading: TextReading,
): Promise<void> {
  if (pass.isShadow || pass.reader.name !== 'deterministic') return
  const { agentId, isAgain } = reading
  if (isAgain) {
    await withdrawSuggestions(pass, asked, reading)
    for (const kind of ['memory', 'transcript'] as const)
      for (const one of await undrawn(pass, agentId, { ...ofTexts(reading, kind), ...reading }))
        if (isReadIn(reading, one)) await endFact(pass, { ...one, agentId, kind, misread: true })
  }
  const texts = new Map<string, string>()
  for (const one of await undrawn(pass, agentId, { ...ofTexts(reading, 'artifact'), ...reading })) {
    const { source, quote } = one
    const isRead = isReadIn(reading, one)
    const text = texts.get(source) ?? (await pass.deps.store.tables.sourceArtifacts.textOf(source)) ?? ''
    texts.set(source, text)
    if (isRead ? isAgain : !text.includes(quote))
      await endFact(pass, { ...one, agentId, kind: 'artifact', misread: isRead })
  }
}

/** Files and conversations are read in parts: true if the part with the quote is among the texts. */
function isReadIn(
  { pieces }: Pick<TextReading, 'pieces'>,
  { source, quote }: Pick<DrawnFact, 'source' | 'quote'>,
): boolean {
  return pieces.some(({ piece: { sourceKind, sourceId, text } }) => {
    // A memory is read whole, and its quotes have other white space than its lines.
    return sourceId === source && (sourceKind === 'memory' || text.includes(quote))
  })
}

/** Sources of one kind, and the reasons of operations on them. */
interface DrawnFrom {
  kind: SourceKind
  ids: readonly string[]
  reasons: readonly string[]
}

function ofTexts({ pieces }: TextReading, kind: SourceKind): DrawnFrom {
  const ids = new Set(pieces.flatMap(({ piece }) => (piece.sourceKind === kind ? [piece.sourceId] : [])))
  return { kind, ids: [...ids], reasons: [ruleReasons.text] }
}

/** Returns facts that rules once drew from sources and did not draw now. */
export async function undrawn(
  pass: Pick<DreamingPass, 'deps'>,
  agentId: string,
  { kind, ids, reasons, drawn }: DrawnFrom & Pick<TextReading, 'drawn'>,
): Promise<DrawnFact[]> {
  const facts = await factsOf(pass, agentId, { kind, ids, reasons })
  return facts.filter(
    ({ fact, source }) => !drawn.get(sourceKey({ sourceKind: kind, sourceId: source }))?.has(fact),
  )
}

/** Returns current facts that rules drew from sources, each once for a source. */
async function factsOf(
  { deps: { store } }: Pick<DreamingPass, 'deps'>,
  agentId: string,
  from: DrawnFrom,
): Promise<DrawnFact[]> {
  if (from.ids.length === 0) return []
  const rows = await store.tables.evidenceSpans.drawnFrom(agentId, { ...from, kept: keptCurrent })
  return [...new Map(rows.map(row => [`${row.source} ${row.fact}`, row])).values()]
}

/** Ends one fact, with a mark at its source: if the source says it again, it is a new fact. */
export async function endFact(
  pass: DreamingPass,
  {
    agentId,
    fact,
    kind: sourceKind,
    source: sourceId,
    quote,
    misread,
  }: DrawnFact & { agentId: string; kind: SourceKind; misread: boolean },
): Promise<void> {
  await breathe(pass)
  const { deps } = pass
  const operation = {
    operation: 'end_fact' as const,
    payload: { fact, sourceKind, sourceId, misread },
    reason: reasons[misread ? 'misread' : 'gone'],
    confidence: 1,
    evidence: [],
  }
  await performOperation(deps, scopeOf(pass, agentId, null), operation, modeOf(pass, true), {
    also: (tables, { operationId }) =>
      tables.evidenceSpans.insert({
        id: deps.newId(),
        agent_id: agentId,
        operation_id: operationId,
        subject_id: null,
        source_kind: sourceKind,
        source_id: sourceId,
        quote,
        span_start: null,
        span_end: null,
        source_hash: null,
      }),
  })
  pass.counts.add('factsEnded')
}

/** Rejects open suggestions that rules do not make any more. */
async function withdrawSuggestions(
  { deps, counts }: DreamingPass,
  asked: AskedOperations,
  { pieces, keys }: TextReading,
): Promise<void> {
  const open = asked.rows.filter(
    ({ proposal_status, reason, source_id: source, quote, operation, payload }) =>
      openStatuses.some(status => status === proposal_status) &&
      reason === ruleReasons.text &&
      !keys.has(keyOf(operation, payload)) &&
      isReadIn({ pieces }, { source, quote }),
  )
  for (const { proposal, contested } of open) {
    const now = deps.clock().toISOString()
    await deps.store.transaction(async ({ ontologyRecords, claims }) => {
      const decided_reason = reasons.misread
      const decision = { status: 'rejected', decided_at: now, decided_by: pipelineActor, decided_reason }
      if (!(await ontologyRecords.decideProposal(proposal as string, openStatuses, decision))) return
      const [version] = contested === null ? [] : await claims.loadVersions([contested])
      if (version?.status === 'contested')
        await claims.updateVersion(version.id, { status: 'retracted', expired_at: now })
    })
    counts.add('suggestionsWithdrawn')
  }
}

/** True if a person said another value of the slot, which texts of before do not change. */
export async function isSettled(
  { deps }: DreamingPass,
  agentId: string,
  operation: Operation,
  project: string | null,
): Promise<boolean> {
  const others = await otherValues(deps, agentId, operation, project)
  const ids = others.map(({ id }) => id)
  return ids.length > 0 && (await deps.store.tables.evidenceSpans.confirmed(ids, keptCurrent)).size > 0
}

/** Ends other values of a slot whose sources are gone, so that a new one does not contradict them. */
export async function endHidden(
  pass: DreamingPass,
  agentId: string,
  operation: Operation,
  project: string | null,
): Promise<void> {
  if (pass.isShadow) return
  const { claims, evidenceSpans } = pass.deps.store.tables
  const ids = (await otherValues(pass.deps, agentId, operation, project)).map(({ id }) => id)
  if (ids.length === 0) return
  const told = await claims.toldVersions(ids, scopeOf(pass, agentId, project).reader.boundary)
  for (const span of await evidenceSpans.ofSubjects(ids, maxSpans)) {
    const { subject_id: fact, source_kind: kind, source_id: source, quote } = span
    if (fact !== null && !told.has(fact))
      await endFact(pass, { fact, quote, source, agentId, kind: kind as SourceKind, misread: false })
  }
}

const maxSpans = 50

/** Ends what rules drew from sources that no longer exist and whose ids never return. */
export async function endGone(
  pass: DreamingPass,
  agentId: string,
  kind: 'memory' | 'artifact',
  gone: { ids: readonly string[]; reasons: readonly string[] },
): Promise<void> {
  for (const one of await factsOf(pass, agentId, { kind, ...gone }))
    await endFact(pass, { ...one, agentId, kind, misread: false })
}
