import type { Reply } from '../../../contract/api.js'
import type { Proposal } from '../../../contract/knowledge/ontology.js'
import type { Operation, SourceKind } from '../../../contract/knowledge/ontology-operations.js'
import {
  type CardSide,
  cardsPerDay,
  type ReviewCard,
  type ReviewDecision,
} from '../../../contract/knowledge/ontology-review.js'
import { clip } from '../../../lib/text/clip.js'
import { factText } from '../../../lib/text/labels.js'
import type { Tables } from '../../../store/tables/tables.js'
import { nameKey } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Reader } from './evidence/source.js'
import { checkSpans, isQuoteFound, isSourceReadable } from './explain/check-spans.js'
import { findEntity } from './model/entity.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { openStatuses, senseOf, toProposal, type VisibleProposal, visibleProposals } from './proposals.js'

type Deps = Pick<Daemon, 'store' | 'clock'>

interface ReviewQuery extends NamedPlace {
  limit: number
  entity?: string | undefined
  all: 'true' | 'false'
}

/** Open proposals that are ranked, newest first; older ones follow once these are decided. */
const ranked = 200
const mostSources = 3
const maxQuote = 300

/**
 * Lists open suggestions as cards: the most valuable first, those of one entity together, at most ten a day
 * unless more are requested (knowledge.md#review).
 */
export async function reviewCards(
  deps: Deps,
  caller: Caller,
  { limit, entity, all, ...named }: ReviewQuery,
): Promise<Reply<'GET /api/ontology/review'>> {
  const { tables } = deps.store
  const reader = readerOf(caller, named)
  const decidedToday = await countDecidedToday(deps, reader.agentId)
  const leftToday = Math.max(0, cardsPerDay - decidedToday)
  const room = all === 'true' || entity !== undefined ? limit : Math.min(limit, leftToday)
  const about = entity === undefined ? undefined : await findEntity(tables, reader.agentId, entity)
  const open = await openSuggestions(deps, reader)
  const found = open.filter(one => entity === undefined || (about !== undefined && one.entityId === about.id))
  const cards: ReviewCard[] = []
  for (const one of grouped(found.slice(0, room))) cards.push(await toCard(deps, reader, one))
  const waiting = await countWaiting(deps, reader, open)
  return { cards, count: cards.length, waiting, decidedToday, leftToday }
}

/** Counts open proposals: for a confined reader those that it may see, among the ranked ones. */
async function countWaiting(
  { store: { tables } }: Deps,
  { agentId, boundary }: Reader,
  open: readonly Suggestion[],
): Promise<number> {
  if (boundary.only) return open.reduce((sum, { alike }) => sum + 1 + alike.length, 0)
  let waiting = 0
  for (const status of openStatuses) waiting += await tables.ontologyRecords.countProposals(agentId, status)
  return waiting
}

/** An open proposal with its worth. */
export interface Suggestion extends VisibleProposal {
  /** Id of its entity; its name while it has none. */
  entityId: string | undefined
  entityName: string
  worth: number
  /** Proposals of the same operation, from other sources. */
  alike: VisibleProposal[]
}

/** Returns open suggestions that the reader may see, best first; equal ones are one suggestion. */
export async function openSuggestions(deps: Deps, reader: Reader): Promise<Suggestion[]> {
  const { tables } = deps.store
  const query = { agentId: reader.agentId, statuses: openStatuses, before: undefined, limit: ranked }
  const visible = await visibleProposals(deps, reader, await tables.ontologyRecords.proposals(query))
  const bySense = new Map<string, Suggestion>()
  for (const one of visible) {
    const sense = senseOf(one.operation)
    const known = bySense.get(sense)
    if (known) known.alike.push(one)
    else bySense.set(sense, await suggestionOf(tables, reader, one))
  }
  return [...bySense.values()].sort(
    (a, b) =>
      b.worth + b.alike.length / 10 - (a.worth + a.alike.length / 10) || (a.row.id < b.row.id ? 1 : -1),
  )
}

/** Contradictions are worth most, then rules and entities that are mentioned often; lost sources least. */
async function suggestionOf(tables: Tables, reader: Reader, one: VisibleProposal): Promise<Suggestion> {
  const payload = JSON.parse(one.operation.payload) as Readonly<Record<string, string | undefined>>
  const entity = await entityOf(tables, reader, payload)
  const worth =
    (one.row.contradiction_risk === 1 ? 2 : 0) +
    one.operation.confidence +
    (payload.kind === 'constraint' ? 0.3 : 0) +
    (entity?.pinned === 1 ? 0.5 : 0) +
    Math.log1p(entity?.mentions ?? 0) / 5 -
    (one.spans.length > 0 && !one.spans.some(isQuoteFound) ? 5 : 0)
  const named = payload.entity ?? payload.from ?? payload.name ?? ''
  return { ...one, entityId: entity?.id, entityName: entity?.name ?? named, worth, alike: [] }
}

async function entityOf(
  tables: Tables,
  { agentId }: Reader,
  { entity, from, name, version }: Readonly<Record<string, string | undefined>>,
) {
  const named = entity ?? from ?? name
  if (named !== undefined) return findEntity(tables, agentId, named)
  const found = version === undefined ? undefined : await tables.claims.version(agentId, version)
  return found && (await tables.entities.load([found.claim.entity_id]))[0]
}

/** Puts suggestions of one entity behind its best one. */
function grouped(suggestions: readonly Suggestion[]): Suggestion[] {
  const groups = new Map<string, Suggestion[]>()
  for (const one of suggestions) {
    const key = one.entityName === '' ? one.row.id : nameKey(one.entityName)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()].flat()
}

async function toCard(deps: Deps, reader: Reader, suggestion: Suggestion): Promise<ReviewCard> {
  const { row, spans, alike } = suggestion
  const proposal = await toProposal(deps, reader, suggestion)
  const kind = kindOf(proposal)
  const current = await currentSide(deps, reader, proposal)
  const all = [...spans, ...alike.flatMap(one => one.spans)]
  return {
    id: row.id,
    kind,
    entity: suggestion.entityName,
    title: titleOf(proposal),
    current,
    suggested: {
      text: suggestedText(proposal),
      since: String(proposal.payload.validFrom ?? proposal.createdAt),
      sources: sourcesOf(all),
    },
    choices: choicesOf(kind, proposal.operation),
    project: proposal.project,
    createdAt: proposal.createdAt,
    alike: alike.map(one => one.row.id),
  }
}

const kinds: Readonly<Record<string, ReviewCard['kind']>> = {
  assert_claim: 'fact',
  supersede_claim: 'fact',
  retract_claim: 'fact',
  link: 'relation',
  unlink: 'relation',
  create_entity: 'name',
  add_alias: 'name',
  retire_alias: 'name',
  merge_entities: 'merge',
  split_entity: 'merge',
}

function kindOf({ operation, before, contradictionRisk }: Proposal): ReviewCard['kind'] {
  const kind = kinds[operation] ?? 'memory'
  return kind === 'fact' && (contradictionRisk || before !== null) ? 'contradiction' : kind
}

/** `keep` and `both` need two values of one attribute. */
export function choicesOf(kind: ReviewCard['kind'], operation: string): ReviewDecision[] {
  if (kind === 'memory') return ['keep', 'replace']
  if (kind !== 'contradiction') return ['replace', 'not_a_fact']
  const two: ReviewDecision[] = ['keep', 'replace', 'both', 'not_a_fact']
  return operation === 'assert_claim' ? two : two.filter(choice => choice !== 'both')
}

function titleOf({ operation, payload, names }: Proposal): string {
  const of = (field: string) => String(payload[field] ?? '')
  if (operation === 'assert_claim')
    return [of('aspect'), of('group') === 'general' ? '' : of('group'), of('claim')]
      .filter(Boolean)
      .join(' > ')
  if ('version' in payload) return (names[of('version')] ?? '').split(' > ').slice(1).join(' > ')
  return ''
}

/** The suggestion as a sentence that needs no other field of the card. */
function suggestedText({ operation, payload, names }: Proposal): string {
  const of = (field: string) => {
    const value = payload[field]
    return value == null ? '' : (names[String(value)] ?? String(value))
  }
  const texts: Readonly<Record<string, () => string>> = {
    assert_claim: () => factText({ group: of('group'), claim: of('claim'), value: of('value') }),
    supersede_claim: () => of('value'),
    retract_claim: () => 'no longer true',
    link: () => `${of('from')} ${of('relation')} ${of('to')}`,
    unlink: () => `no longer: ${of('link')}`,
    create_entity: () => `${of('name')} is a ${of('type')}`,
    add_alias: () => `${of('entity')} is also called ${of('alias')}`,
    retire_alias: () => `${of('entity')} is not called ${of('alias')}`,
    merge_entities: () => `${of('from')} and ${of('into')} are the same`,
    split_entity: () => `${of('name')} is not ${of('entity')}`,
    add_memory: () => of('content'),
    supersede_memory: () => `replaced by: ${of('supersededBy')}`,
    forget_memory: () => 'forget it',
  }
  return texts[operation]?.() ?? operation.replaceAll('_', ' ')
}

/** The current value with its own quotes, or the memory that would be changed. */
async function currentSide(
  { store: { tables } }: Deps,
  reader: Reader,
  { operation, payload, before, project }: Proposal,
): Promise<CardSide | null> {
  if (before === null) return null
  if ('memory' in payload) return { text: before, since: null, sources: [] }
  const version = await currentVersion(tables, reader, {
    operation,
    payload: payload as Operation['payload'],
    project,
  })
  const { group, claim } = payload as { group?: string; claim?: string }
  const text = claim ? factText({ group: group ?? 'general', claim, value: before }) : before
  if (!version) return { text, since: null, sources: [] }
  const spans = await checkSpans(tables, reader, await tables.evidenceSpans.ofSubjects([version.id], 20))
  return {
    text,
    since: version.valid_from ?? version.recorded_at,
    sources: sourcesOf(spans),
  }
}

/** The first sources that the reader may see, with their quotes. */
function sourcesOf(spans: Awaited<ReturnType<typeof checkSpans>>) {
  return spans
    .filter(isSourceReadable)
    .slice(0, mostSources)
    .map(span => ({
      kind: span.source_kind as SourceKind,
      id: span.source_id,
      quote: clip(span.quote, maxQuote),
    }))
}

async function currentVersion(
  tables: Tables,
  { agentId }: Reader,
  { payload, project }: { operation: string; payload: Operation['payload']; project: string | null },
) {
  if ('version' in payload) return (await tables.claims.version(agentId, payload.version))?.version
  if (!('aspect' in payload)) return undefined
  const found = await findEntity(tables, agentId, payload.entity)
  const slot =
    found &&
    (await tables.claims.bySlot({
      entity_id: found.id,
      aspect_key: nameKey(payload.aspect),
      group_key: nameKey(payload.group),
      claim_key: nameKey(payload.claim),
    }))
  const standing = slot ? await tables.claims.standing(slot.id, ['current']) : []
  return standing.find(version => version.project === project)
}

/** Counts decisions since the local midnight that were not undone. */
async function countDecidedToday({ store, clock }: Deps, agentId: string): Promise<number> {
  const midnight = new Date(clock())
  midnight.setHours(0, 0, 0, 0)
  const changes = await store.tables.ontologyChanges.since(agentId, midnight.toISOString(), ranked)
  const decided = changes.filter(({ kind, undone_at }) => kind === 'decision' && undone_at === null)
  return new Set(decided.map(({ title }) => title)).size
}
