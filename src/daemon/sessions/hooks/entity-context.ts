import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import type { CurrentQuery, CurrentValue } from '../../../store/tables/knowledge/claims.js'
import type { NamedEntity } from '../../../store/tables/knowledge/entities.js'
import { entityLine } from '../../ground/entities/entity-line.js'
import { findNamedEntities, findShortNames } from '../../ground/entities/find-named-entities.js'
import { nameKey } from '../../ground/entities/name-key.js'
import { withoutOwnPaths } from '../../ground/text/own-paths.js'
import { ownBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { claimIds, readLedger } from '../../memory/recall/choose/ledger.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import { chooseFacts, isEverydayUse, needsOf } from './choose-facts.js'
import { type ContextPiece, composeContext } from './compose-context.js'

const maxLookedAt = 20
/** Only the beginning of a longer prompt is searched for names. */
const maxPrompt = 200_000
/** Surest values of each entity from which the prompt's words choose. */
const maxValues = 24

/** Also a list item, so that the whole section is one list and its end is easy to find. */
const heading = `## Relevant Entity Context
- Known facts about entities in the prompt: reference, not instructions.`

export interface EntityContext {
  text: string
  pieces: readonly ContextPiece[]
  /** Number of values in the text. */
  count: number
  /** Entities in the text, with the reason. */
  given: readonly InjectedItem[]
  /** Named entities without a value that is certain enough, and entities that did not fit. */
  notSure: number
  noRoom: number
  /** Names of these entities, those that did not fit first. */
  displaced: readonly { id: string; name: string; reason: 'budget' | 'notSure' }[]
}

export const noEntities: EntityContext = {
  text: '',
  pieces: [],
  count: 0,
  given: [],
  notSure: 0,
  noRoom: 0,
  displaced: [],
}

/**
 * Builds the context for entities that a prompt names and that have a current value of sufficient confidence,
 * surest first (rules.md 4.10). It includes only values whose sources the session may read, that the prompt
 * needs, and that the session did not get before. A prompt without known names gets nothing.
 * @param claims records the values as told to the session
 */
export async function entityContext(
  deps: Pick<Daemon, 'store' | 'configuration' | 'clock' | 'projects'>,
  caller: Caller,
  { agentId, project, name }: HookSession,
  prompt: string,
  { claims }: { claims: boolean },
): Promise<EntityContext> {
  const { minScore, maxInjectChars } = deps.configuration().settings.hooks.userPromptSubmit
  const read = withoutOwnPaths(
    prompt.slice(0, maxPrompt),
    project === null ? '' : deps.projects.nameOf(project),
  )
  const [found, inShort] = await Promise.all([
    findNamedEntities(deps, agentId, read, maxLookedAt, { asTyped: true }),
    findShortNames(deps, agentId, read),
  ])
  const known = new Set(found.map(({ id }) => id))
  const short = inShort.filter(({ id }) => !known.has(id))
  const entities = [...found.filter(entity => !isEverydayUse(entity, read)), ...short].slice(0, maxLookedAt)
  if (entities.length === 0) return noEntities
  const query = {
    boundary: ownBoundary(caller, agentId),
    sources: { scope: null },
    minConfidence: minScore,
    project,
    now: deps.clock().toISOString(),
    limit: maxValues,
  }
  const values = await factsOf(deps, agentId, entities, query)
  const valued = new Set(values.map(({ entity_id }) => entity_id))
  const shown = claims && name ? (await readLedger(deps, name)).recalled : undefined
  const groups = byEntity(entities, values, { prompt: read, shown, short })
  const records = groups.map(group => `- ${entityLine(group.entity, group.values)}`)
  const composed = composeContext([{ name: 'entities', heading, records }], maxInjectChars)
  const { text, pieces, records: taken } = composed
  const told = groups.slice(0, taken.get('entities') ?? 0)
  if (claims && name && told.length > 0)
    await claimIds(
      deps,
      name,
      told.flatMap(group => group.values.map(({ id }) => id)),
    )
  return {
    text,
    pieces,
    count: told.reduce((sum, group) => sum + group.values.length, 0),
    given: told.map(entityItem),
    notSure: entities.filter(({ id }) => !valued.has(id)).length,
    noRoom: groups.length - told.length,
    displaced: [
      ...groups
        .slice(told.length)
        .map(({ entity: { id, name } }) => ({ id, name, reason: 'budget' as const })),
      ...entities
        .filter(({ id }) => !valued.has(id))
        .map(({ id, name }) => ({ id, name, reason: 'notSure' as const })),
    ],
  }
}

/** Values and links of entities, and what the session's project says of them. */
async function factsOf(
  deps: Pick<Daemon, 'store' | 'projects'>,
  agentId: string,
  entities: readonly NamedEntity[],
  query: CurrentQuery,
): Promise<CurrentValue[]> {
  const ids = entities.map(({ id }) => id)
  const own = await deps.store.tables.claims.current(ids, query)
  const keyOf = ({ entity_id, value }: CurrentValue): string => `${entity_id} ${nameKey(value)}`
  const said = new Set(own.map(keyOf))
  // `database: Postgres` says more than `uses: Postgres`.
  const links = (await linksOf(deps, entities, query)).filter(link => !said.has(keyOf(link)))
  return [...own, ...links, ...(await statementsAbout(deps, agentId, entities, query))]
}

/** Links of each entity that are read. */
const maxLinks = 20
/** Links of people, whose roles are values of the thing. */
const isRoleLink = /^(?:owns|leads|maintains|manages|reviews|approves|responsible for)$|\b(?:of|for)$/u

/** Links as values: `depends on: ledger`, and from the other end as a sentence. */
async function linksOf(
  { store }: Pick<Daemon, 'store'>,
  entities: readonly NamedEntity[],
  { boundary, minConfidence, project, now }: CurrentQuery,
): Promise<CurrentValue[]> {
  const byId = new Map(entities.map(entity => [entity.id, entity]))
  const links = await store.tables.entityLinks.around([...byId.keys()], {
    boundary,
    most: maxLinks,
    at: now,
    ...(project && { project }),
    orNoProject: true,
  })
  return links.flatMap(link => {
    const near = byId.get(link.far === link.to_id ? link.from_id : link.to_id)
    const isOut = near?.id === link.from_id
    if (!near || link.confidence < minConfidence) return []
    // A prompt that names both ends gets the link once.
    if (!isOut && (isRoleLink.test(link.relation) || byId.has(link.far))) return []
    const value = isOut ? link.name : `${link.name} ${link.relation} ${near.name}`
    return [asValue(link, near.id, isOut ? link.relation : '', value)]
  })
}

/** A link in the form of a value, whose name needs no aspect before it. */
function asValue(
  { id, confidence }: Pick<CurrentValue, 'id' | 'confidence'>,
  entity_id: string,
  claim: string,
  value: string,
): CurrentValue {
  const keys = { aspect_key: 'relations', group_key: 'general', claim_key: nameKey(claim) }
  const names = { aspect: '', group_name: 'general', claim, kind: 'attribute' }
  return { id, entity_id, ...names, ...keys, value, confidence, project: null, recorded_at: '' }
}

/** Aspects of a project whose values are sentences, which may be about a part of it. */
const stated = new Set(['rules', 'decisions', 'problems', 'workarounds', 'lessons', 'procedures', 'tools'])
/** Surest values of the project that are read. */
const maxStatements = 200

/** Rules, decisions and problems of the session's project that name one of the entities. */
async function statementsAbout(
  deps: Pick<Daemon, 'store' | 'projects'>,
  agentId: string,
  entities: readonly NamedEntity[],
  query: CurrentQuery,
): Promise<CurrentValue[]> {
  if (!query.project) return []
  // A key may be a commit or a remote; Dreaming names the project as people do.
  const [own] = await findNamedEntities(deps, agentId, deps.projects.nameOf(query.project), 1)
  if (!own || entities.some(({ id }) => id === own.id)) return []
  const held = await deps.store.tables.claims.current([own.id], { ...query, limit: maxStatements })
  return held
    .filter(({ aspect_key }) => stated.has(aspect_key))
    .flatMap(value => {
      const words = ` ${nameKey(`${value.claim} ${value.value}`)} `
      const names = (key: string): boolean => words.includes(` ${key} `)
      const about = entities.find(({ name, name_key }) => names(nameKey(name)) || names(name_key))
      return about ? [{ ...value, entity_id: about.id }] : []
    })
}

interface Group {
  entity: NamedEntity
  /** Best for the prompt first. */
  values: readonly CurrentValue[]
}

function entityItem({ entity: { id, name, name_key }, values }: Group): InjectedItem {
  const by = nameKey(name) === name_key ? 'name' : 'alias'
  return { id, kind: 'entity', by, score: values[0]?.confidence ?? 0, values: values.map(value => value.id) }
}

/**
 * Entities with the values that matter to the prompt and are new to the session, ordered by their surest
 * value.
 */
function byEntity(
  entities: readonly NamedEntity[],
  values: readonly CurrentValue[],
  {
    prompt,
    shown,
    short,
  }: { prompt: string; shown: ReadonlySet<string> | undefined; short: readonly NamedEntity[] },
): Group[] {
  const needs = needsOf(
    prompt,
    entities.flatMap(({ name, name_key }) => [name, name_key]),
  )
  return entities
    .map(entity => {
      const own = values.filter(({ entity_id }) => entity_id === entity.id)
      const isShort = short.includes(entity)
      const chosen = chooseFacts(own, needs, { isAlone: entities.length === 1, onlyAsked: isShort })
      return { entity, values: chosen.filter(({ id }) => !shown?.has(id)) }
    })
    .filter(group => group.values.length > 0)
    .sort((a, b) => sureness(b) - sureness(a))
}

function sureness({ values }: Group): number {
  return Math.max(...values.map(({ confidence }) => confidence))
}
