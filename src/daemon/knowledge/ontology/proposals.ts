import type { Reply } from '../../../contract/api.js'
import type { Proposal, ProposalStatus } from '../../../contract/knowledge/ontology.js'
import type { Operation, Payload } from '../../../contract/knowledge/ontology-operations.js'
import { clip } from '../../../lib/text/clip.js'
import type { EvidenceSpanRow } from '../../../store/tables/knowledge/evidence-spans.js'
import type { OperationRow, ProposalRow } from '../../../store/tables/knowledge/ontology-records.js'
import type { Tables } from '../../../store/tables/tables.js'
import { nameKey } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Reader } from './evidence/source.js'
import { type CheckedSpan, checkSpans, isSourceReadable, toEvidenceQuote } from './explain/check-spans.js'
import { findEntity } from './model/entity.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { type Page, visiblePage } from './visible-page.js'

/** UTF-16 units of a memory shown as its name. */
const maxMemory = 200

/** Payload fields that may contain ids, by kind. */
const fields = {
  entity: ['entity', 'from', 'into', 'to'],
  version: ['version'],
  link: ['link'],
  memory: ['memory', 'supersededBy'],
} as const

/**
 * Names the ids in an operation's payload, if visible to the reader: entities by name, versions by slot,
 * links by their ends, memories by their beginning.
 */
async function namesOfIds(
  tables: Tables,
  reader: Reader,
  { payload }: Pick<OperationRow, 'payload'>,
): Promise<Record<string, string>> {
  const wanted = JSON.parse(payload) as Operation['payload'] & Record<string, unknown>
  const of = (kind: keyof typeof fields): string[] =>
    fields[kind].flatMap(field => (typeof wanted[field] === 'string' ? [wanted[field]] : []))
  const names = [
    ...(await entityNames(tables, reader, of('entity'))),
    ...(await slotNames(tables, reader, of('version'))),
    ...(await linkNames(tables, reader, of('link'))),
    ...(await memoryBeginnings(tables, reader, of('memory'))),
  ]
  return Object.fromEntries(names)
}

type Names = readonly (readonly [id: string, name: string])[]

async function entityNames({ entities }: Tables, { boundary }: Reader, ids: string[]): Promise<Names> {
  if (ids.length === 0) return []
  return (await entities.told(ids, boundary)).map(({ id, name }) => [id, name])
}

async function slotNames(
  tables: Tables,
  { agentId, boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const told = await tables.claims.toldVersions(ids, boundary)
  const names: [string, string][] = []
  for (const id of told) {
    const claim = (await tables.claims.version(agentId, id))?.claim
    const [entity] = claim ? await tables.entities.load([claim.entity_id]) : []
    if (!claim || !entity) continue
    const group = claim.group_key === 'general' ? [] : [claim.group_name]
    names.push([id, [entity.name, claim.aspect, ...group, claim.claim].join(' > ')])
  }
  return names
}

async function linkNames(
  { entityLinks, entities }: Tables,
  { agentId, boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const names: [string, string][] = []
  for (const id of ids) {
    const link = await entityLinks.told(agentId, id, boundary)
    if (!link) continue
    const ends = await entities.load([link.from_id, link.to_id])
    const nameOf = (end: string) => ends.find(row => row.id === end)?.name ?? end
    names.push([id, `${nameOf(link.from_id)} ${link.relation} ${nameOf(link.to_id)}`])
  }
  return names
}

async function memoryBeginnings(
  { memories }: Tables,
  { boundary }: Reader,
  ids: readonly string[],
): Promise<Names> {
  const rows = await memories.loadRecallable(ids, boundary, {})
  return rows.map(({ id, content }) => [id, clip(content, maxMemory)])
}

type Deps = Pick<Daemon, 'store'>

/** Statuses that wait for a person. */
export const openStatuses = ['pending', 'blocked'] as const satisfies readonly ProposalStatus[]

/** A proposal with its operation and the evidence visible to the reader. */
export interface VisibleProposal {
  row: ProposalRow
  operation: OperationRow
  spans: readonly CheckedSpan[]
}

/**
 * Lists proposals with at least one quote visible to the reader, newest first, with the content they would
 * change.
 */
export async function listProposals(
  deps: Deps,
  caller: Caller,
  { status, limit, offset, ...named }: NamedPlace & Page & { status?: ProposalStatus | undefined },
): Promise<Reply<'GET /api/ontology/proposals'>> {
  const reader = readerOf(caller, named)
  const statuses = status === undefined ? openStatuses : [status]
  let before: string | undefined
  const read = async (rows: number): Promise<ProposalRow[] | undefined> => {
    const query = { agentId: reader.agentId, statuses, before, limit: rows }
    const found = await deps.store.tables.ontologyRecords.proposals(query)
    before = found.at(-1)?.id
    return before === undefined ? undefined : found
  }
  const { told, hasMore } = await visiblePage({ limit, offset }, read, rows =>
    visibleProposals(deps, reader, rows),
  )
  const proposals: Proposal[] = []
  for (const one of told) proposals.push(await toProposal(deps, reader, one))
  return { proposals, count: proposals.length, limit, offset, hasMore }
}

/** Returns one proposal visible to the reader; undefined if there is none. */
export async function findProposal(
  deps: Deps,
  reader: Reader,
  id: string,
): Promise<VisibleProposal | undefined> {
  const row = await deps.store.tables.ontologyRecords.proposal(reader.agentId, id)
  return row && (await visibleProposals(deps, reader, [row]))[0]
}

/** Returns proposals with a visible quote; proposals without quotes need an unrestricted reader. */
export async function visibleProposals(
  { store: { tables } }: Deps,
  reader: Reader,
  rows: readonly ProposalRow[],
): Promise<VisibleProposal[]> {
  const ids = rows.map(({ operation_id }) => operation_id)
  const operations = new Map((await tables.ontologyRecords.operations(ids)).map(row => [row.id, row]))
  const spans = await checkSpans(tables, reader, await tables.evidenceSpans.ofOperations(ids))
  const all = rows.map(row => ({
    row,
    operation: operations.get(row.operation_id) as OperationRow,
    spans: spans.filter(({ operation_id }) => operation_id === row.operation_id),
  }))
  return all.filter(one =>
    one.spans.length === 0 ? reader.boundary.only === undefined : one.spans.some(isSourceReadable),
  )
}

export async function toProposal(
  deps: Deps,
  reader: Reader,
  { row, operation, spans }: VisibleProposal,
): Promise<Proposal> {
  return {
    id: row.id,
    status: row.status as ProposalStatus,
    operation: operation.operation,
    payload: JSON.parse(operation.payload) as Record<string, unknown>,
    reason: operation.reason,
    confidence: operation.confidence,
    project: operation.project,
    blockedReason: row.blocked_reason,
    contradictionRisk: row.contradiction_risk === 1,
    proposedBy: operation.changed_by,
    createdAt: row.created_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decidedReason: row.decided_reason,
    evidence: spans.map(toEvidenceQuote),
    names: await namesOfIds(deps.store.tables, reader, operation),
    before: clipped(await currentContent(deps.store.tables, reader, operation)),
  }
}

const maxBefore = 2000

function clipped(text: string | undefined): string | null {
  return text === undefined ? null : clip(text, maxBefore)
}

/** Returns the quotes of an operation as requested. */
export function quotesOf(spans: readonly EvidenceSpanRow[]) {
  return spans.map(({ source_kind, source_id, quote }) => ({
    sourceKind: source_kind,
    sourceId: source_id,
    quote,
  }))
}

/**
 * Returns the current content that an operation would change, if visible to the reader: a value, or a
 * memory's text.
 */
async function currentContent(
  tables: Tables,
  reader: Reader,
  { operation, payload, project }: Pick<OperationRow, 'operation' | 'payload' | 'project'>,
): Promise<string | undefined> {
  const wanted = JSON.parse(payload) as Operation['payload']
  if ('version' in wanted) return visibleValue(tables, reader, wanted.version)
  if ('memory' in wanted) {
    const [row] = await tables.memories.loadRecallable([wanted.memory], reader.boundary, {})
    return row?.content
  }
  if (operation !== 'assert_claim') return undefined
  const { entity, aspect, group, claim } = wanted as Payload<'assert_claim'>
  const found = await findEntity(tables, reader.agentId, entity)
  if (!found) return undefined
  const keys = { aspect_key: nameKey(aspect), group_key: nameKey(group), claim_key: nameKey(claim) }
  const slot = await tables.claims.bySlot({ ...keys, entity_id: found.id })
  const current = slot ? await tables.claims.standing(slot.id, ['current']) : []
  const here = current.find(version => version.project === project)
  return here && visibleValue(tables, reader, here.id)
}

async function visibleValue(
  { claims }: Tables,
  { agentId, boundary }: Reader,
  id: string,
): Promise<string | undefined> {
  const told = await claims.toldVersions([id], boundary)
  return told.has(id) ? (await claims.version(agentId, id))?.version.value : undefined
}

/** The sense of an operation, however its source spells it: operations with one sense are one suggestion. */
export function senseOf({
  operation,
  payload,
  project,
}: Pick<OperationRow, 'operation' | 'payload' | 'project'>): string {
  const told = Object.entries(JSON.parse(payload) as Record<string, unknown>)
  const folded = told
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, value]) => [field, typeof value === 'string' ? nameKey(value) : value])
  return JSON.stringify([operation, project, folded])
}

/** The reason of a rejection because the current value is right. */
export const keptCurrent = 'the current value is right'
/** The reason of a rejection because the text was misread. */
export const notAFact = 'not a fact'
/** Rejected suggestions that are remembered, newest first. */
const mostRefused = 1000

/** Senses that a person rejected as misread, so that no other text suggests them again. */
export async function refusedSenses({ store }: Pick<Daemon, 'store'>, agentId: string): Promise<Set<string>> {
  const { ontologyRecords } = store.tables
  const query = { agentId, statuses: ['rejected'], before: undefined, limit: mostRefused }
  const refused = (await ontologyRecords.proposals(query)).filter(
    ({ decided_reason }) => decided_reason === notAFact,
  )
  const operations = await ontologyRecords.operations(refused.map(({ operation_id }) => operation_id))
  return new Set(operations.map(senseOf))
}
