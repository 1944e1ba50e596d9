import type { Reply } from '../../../contract/api.js'
import { AppError, notFound } from '../../../contract/ground/errors.js'
import type { DescribedFact } from '../../../contract/knowledge/ontology.js'
import type { SourceKind } from '../../../contract/knowledge/ontology-operations.js'
import { clip, quoted } from '../../../lib/text/clip.js'
import { factText, linkText } from '../../../lib/text/labels.js'
import { similarNames } from '../../../lib/text/similar-names.js'
import type { FactRow } from '../../../store/tables/knowledge/claims.js'
import type { EntityLinkView } from '../../../store/tables/knowledge/entity-links.js'
import type { MemoryRow } from '../../../store/tables/memory/memories.js'
import { restrictProject } from '../../../store/tables/memory/memory-filter.js'
import { findNamedEntities, onlyNamed } from '../../ground/entities/find-named-entities.js'
import { nameKey, nameWords } from '../../ground/entities/name-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { findVisibleEntity, fromNow } from './entities.js'
import type { Reader } from './evidence/source.js'
import { type CheckedSpan, checkSpans, isSourceReadable } from './explain/check-spans.js'
import { findEntity } from './model/entity.js'
import { type NamedPlace, readerOf } from './model/reader.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>
type Description = Reply<'GET /api/ontology/entities/:id/about'>

interface DescribeQuery extends NamedPlace {
  id: string
  limit: number
  aspect?: string | undefined
}

/** A fact before its sources are read. */
interface Draft {
  aspect: string
  claimId: string | undefined
  recordedAt: string
  fact: Omit<DescribedFact, 'sources' | 'former' | 'notedAt'>
}

const most = {
  told: 30,
  claims: 500,
  links: 200,
  spans: 400,
  former: 200,
  mentions: 5,
  sources: 3,
  similar: 200,
}
const maxQuote = 300

/** Aspects that a new colleague wants first; others follow by their number of facts. */
const firstAspects = ['rules', 'owner', 'people', 'roles', 'role', 'identity', 'facts', 'decisions', 'tools']
const relations = 'relations'

/**
 * Describes an entity for somebody who does not know it: its facts and links by aspect, each with the quotes
 * that the reader may read and its earlier values. Every aspect gets a share of the limit.
 * @throws AppError `not_found` with similar names, `scope_violation`
 */
export async function describeEntity(
  deps: Deps,
  caller: Caller,
  { limit, aspect, ...named }: DescribeQuery,
): Promise<Description> {
  const { tables } = deps.store
  const id = await knownId(deps, caller, named)
  const { entity, reader } = await findVisibleEntity(deps, caller, { ...named, id })
  const claims = await tables.claims.heldOf(entity.id, reader.boundary, most.claims + 1)
  const links = await tables.entityLinks.toldOf(entity.id, {
    boundary: reader.boundary,
    limit: most.links + 1,
    ...fromNow(deps),
  })
  const drafts = [
    ...claims.slice(0, most.claims).map(draftOfClaim),
    ...links.slice(0, most.links).map(draftOfLink),
    ...(await statementsNaming(deps, reader, entity)),
  ]
  const wanted = aspect === undefined ? drafts : drafts.filter(one => nameKey(one.aspect) === nameKey(aspect))
  const groups = shareOut(wanted, limit, deps.clock().toISOString())
  const facts = await withSources(
    deps,
    reader,
    groups.flatMap(group => group.drafts),
  )
  const mentions = await newestMentions(deps, reader, entity.id)
  return {
    entity,
    groups: groups.map(group => ({
      aspect: group.aspect,
      facts: group.drafts.flatMap(({ fact }) => facts.get(fact.id) ?? []),
      more: group.more,
    })),
    total: wanted.length,
    mentions,
    projects: await projectsOf(deps, [...facts.values(), ...(facts.size > 0 ? [] : mentions)]),
    truncated: claims.length > most.claims || links.length > most.links,
  }
}

async function projectsOf(
  { projects }: Pick<Deps, 'projects'>,
  told: readonly { project: string | null }[],
): Promise<Description['projects']> {
  await projects.ready()
  const keys = new Set(told.flatMap(({ project }) => project ?? []))
  return [...keys].map(key => ({ key, name: projects.nameOf(key) }))
}

/** Aspects whose values are sentences, which may be about more than the entity that has them. */
const stated = new Set(['rules', 'decisions', 'problems', 'workarounds', 'lessons', 'procedures'])

/** Decisions, rules and problems of a project that name this entity: `we chose Stripe over Adyen`. */
async function statementsNaming(
  { store: { tables } }: Deps,
  { agentId, boundary }: Reader,
  { id, name, aliases }: Description['entity'],
): Promise<Draft[]> {
  const names = [name, ...aliases].map(nameKey).filter(Boolean)
  const found = new Map<string, Draft>()
  for (const memory of await tables.entities.newestMentions(id, most.told))
    for (const row of await tables.claims.saidBy(agentId, memory, boundary, most.told)) {
      const words = ` ${nameKey(`${row.claim} ${row.value}`)} `
      const isNaming = names.some(one => words.includes(` ${one} `))
      if (row.entity_id === id || row.status !== 'current' || !stated.has(nameKey(row.aspect)) || !isNaming)
        continue
      const draft = draftOfClaim(row)
      found.set(row.id, { ...draft, fact: { ...draft.fact, text: row.value } })
    }
  return [...found.values()]
}

function draftOfClaim(row: FactRow): Draft {
  const { group_name: group, claim, value, status } = row
  return {
    aspect: row.aspect,
    claimId: row.claim_id,
    recordedAt: row.recorded_at,
    fact: {
      id: row.id,
      kind: row.kind as 'attribute' | 'constraint',
      text: factText({ group, claim, value }),
      status: status as DescribedFact['status'],
      confidence: row.confidence,
      project: row.project,
      since: row.valid_from,
      until: row.valid_until,
    },
  }
}

function draftOfLink(row: EntityLinkView): Draft {
  return {
    aspect: relations,
    claimId: undefined,
    recordedAt: row.recorded_at,
    fact: {
      id: row.id,
      kind: 'relation',
      text: linkText({ direction: row.direction, relation: row.relation, other: row.other_name }),
      status: 'current',
      confidence: row.confidence,
      project: null,
      since: row.valid_from,
      until: row.valid_until,
    },
  }
}

interface AspectGroup {
  aspect: string
  drafts: Draft[]
  more: number
}

/** Takes the best fact of each aspect in turn until the limit is met; planned ones come last. */
function shareOut(drafts: readonly Draft[], limit: number, now: string): AspectGroup[] {
  const byAspect = new Map<string, Draft[]>()
  for (const draft of drafts) byAspect.set(draft.aspect, [...(byAspect.get(draft.aspect) ?? []), draft])
  const aspects = [...byAspect]
    .map(([aspect, of]) => ({ aspect, of: of.sort(byWorth(now)) }))
    .sort((a, b) => placeOf(a.aspect) - placeOf(b.aspect) || b.of.length - a.of.length)
  const taken = new Map<string, number>()
  let left = Math.min(limit, drafts.length)
  for (let round = 0; left > 0; round++)
    for (const { aspect, of } of aspects)
      if (left > 0 && round < of.length) {
        taken.set(aspect, round + 1)
        left--
      }
  return aspects.map(({ aspect, of }) => {
    const count = taken.get(aspect) ?? 0
    return { aspect, drafts: of.slice(0, count), more: of.length - count }
  })
}

function byWorth(now: string): (a: Draft, b: Draft) => number {
  const rank = ({ kind, status, confidence, since }: Draft['fact']) =>
    confidence +
    (status === 'current' ? 1 : 0) +
    (kind === 'constraint' ? 0.5 : 0) -
    (since !== null && since > now ? 2 : 0)
  return ({ fact: a, recordedAt: one }, { fact: b, recordedAt: other }) =>
    rank(b) - rank(a) || (one < other ? 1 : -1)
}

function placeOf(aspect: string): number {
  const place = firstAspects.indexOf(nameKey(aspect))
  return place < 0 ? firstAspects.length : place
}

/** Adds the quotes that the reader may read, and the earlier values of each slot. */
async function withSources(
  { store: { tables } }: Deps,
  reader: Reader,
  drafts: readonly Draft[],
): Promise<Map<string, DescribedFact>> {
  if (drafts.length === 0) return new Map()
  const ids = drafts.map(({ fact }) => fact.id)
  const spans = (
    await checkSpans(tables, reader, await tables.evidenceSpans.ofSubjects(ids, most.spans))
  ).filter(isSourceReadable)
  const read = await memoriesOf(tables, reader, spans)
  const claimIds = [...new Set(drafts.flatMap(({ claimId }) => claimId ?? []))]
  const former = await tables.claims.formerOf(claimIds, reader.boundary, most.former)
  return new Map(
    drafts.map(({ fact, claimId, recordedAt }) => {
      const own = spans.filter(({ subject_id }) => subject_id === fact.id)
      const memories = own.flatMap(({ source_id }) => read.get(source_id) ?? [])
      const said = memories.map(({ created_at }) => created_at).sort()
      return [
        fact.id,
        {
          ...fact,
          ...(fact.kind === 'relation' && { project: sharedProject(memories) }),
          notedAt: said[0] ?? recordedAt,
          former: former
            .filter(
              ({ claim_id, project, value }) =>
                claim_id === claimId && project === fact.project && !fact.text.endsWith(value),
            )
            .map(({ value, valid_until, expired_at }) => ({ value, until: valid_until ?? expired_at })),
          sources: own.slice(0, most.sources).map(({ source_kind, source_id, quote }) => ({
            kind: source_kind as SourceKind,
            id: source_id,
            quote: clip(quote, maxQuote),
          })),
        },
      ]
    }),
  )
}

/** A link has no project of its own: it has the one of all memories that say it. */
function sharedProject(memories: readonly Pick<MemoryRow, 'project'>[]): string | null {
  const [project = null, ...others] = new Set(memories.map(one => one.project))
  return others.length === 0 ? project : null
}

async function memoriesOf(
  { memories }: Deps['store']['tables'],
  { boundary }: Reader,
  spans: readonly CheckedSpan[],
): Promise<Map<string, Pick<MemoryRow, 'created_at' | 'project'>>> {
  const ids = spans.filter(({ source_kind }) => source_kind === 'memory').map(({ source_id }) => source_id)
  const rows = await memories.loadRecallable([...new Set(ids)], boundary, {})
  return new Map(rows.map(row => [row.id, restrictProject(row, boundary)]))
}

async function newestMentions(
  { store: { tables } }: Deps,
  { boundary }: Reader,
  entityId: string,
): Promise<Description['mentions']> {
  // A confined reader may not read the newest of them.
  const ids = await tables.entities.newestMentions(entityId, most.told)
  const rows = await tables.memories.loadRecallable(ids, boundary, {})
  return rows
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, most.mentions)
    .map(row => ({
      id: row.id,
      at: row.created_at,
      text: clip(row.content, maxQuote),
      project: restrictProject(row, boundary).project,
    }))
}

/**
 * Returns the id of an entity by its name, or by a part of it that only one has.
 * @throws AppError `not_found` with up to three similar names that the reader may see
 */
async function knownId(deps: Deps, caller: Caller, named: NamedPlace & { id: string }): Promise<string> {
  const { tables } = deps.store
  const reader = readerOf(caller, named)
  const known = (await findEntity(tables, reader.agentId, named.id)) ?? (await meant(deps, reader, named.id))
  if (known) return known.id
  const names = await namesLike(deps, reader, named.id)
  const said = `nothing is known about ${quoted(named.id)}`
  const fields = { similar: names }
  if (names.length === 0)
    throw notFound(
      said,
      'memory ontology entities lists what is known; memory dream run reads what is new',
      fields,
    )
  throw new AppError('not_found', `${said}; did you mean ${names.join(', ')}?`, undefined, { fields })
}

/** The only entity that a name means as people type it, if the reader may see it. */
async function meant(deps: Deps, { agentId, boundary }: Reader, name: string) {
  const [typed, other] = await findNamedEntities(deps, agentId, name, 2, { asTyped: true })
  const isWhole = typed && !other && nameWords(typed.name_key).length >= nameWords(name).length - 1
  const one = isWhole ? typed : await onlyNamed(deps, agentId, name)
  const [told] = one ? await deps.store.tables.entities.told([one.id], boundary) : []
  return told
}

/** Names that begin alike, and recently changed entities with one of the words or a similar name. */
async function namesLike({ store: { tables } }: Deps, reader: Reader, asked: string): Promise<string[]> {
  const key = nameKey(asked)
  const words = nameWords(asked)
  if (key === '') return []
  const alike = await tables.entities.beginning(reader.agentId, key.slice(0, 2), '', most.similar)
  const recent = await tables.entities.page(reader.agentId, undefined, most.similar)
  const told = await tables.entities.told(
    [...new Set([...alike, ...recent].map(({ id }) => id))],
    reader.boundary,
  )
  const sharing = told.filter(({ name_key }) => words.some(word => name_key.split(' ').includes(word)))
  const keys = told.map(({ name_key }) => name_key)
  const similar = [key, ...words.filter(word => word.length > 3)].flatMap(one => similarNames(one, keys))
  const found = [...similar.flatMap(one => told.filter(({ name_key }) => name_key === one)), ...sharing]
  return [...new Set(found.map(({ name }) => name))].slice(0, 3)
}
