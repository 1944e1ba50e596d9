import { nameKey, nameWords } from '../../src/daemon/ground/entities/name-key.js'
import { deterministicReader } from '../../src/daemon/knowledge/dreaming/deterministic/deterministic-reader.js'
import type { KnownName } from '../../src/daemon/knowledge/dreaming/reader.js'
import { weights } from '../../src/daemon/memory/recall/ranking/weights.js'
import { claimEvidence, matchNames, namesIn } from '../../src/daemon/memory/recall/search/find-paths.js'
import type { ClaimPath, NamedThing } from '../../src/store/tables/knowledge/recall-paths.js'
import { type AskedQuestion, idsOf } from './ask-set.js'
import { inPoints, pairedDifferences } from './paired.js'
import type { QualityQuestion, QualitySet, ScopedQuery, StoredMemory } from './quality-set.js'
import type { RankedIndex } from './recall-system.js'
import { scoresOf } from './systems.js'
import { markdownTable } from './table.js'

/** A value that the rules extract from a row, with its slot. */
interface ExtractedValue extends ClaimPath {
  claim_id: string
  value: string
  project: string
}

/** Everything the rules extract from the rows of a set. */
interface Knowledge {
  /** Entities by folded name. */
  entities: ReadonlyMap<string, KnownName>
  values: readonly ExtractedValue[]
}

/** Recall with facts compared with recall without them, question by question, before any cut-off. */
export interface ClaimsGain {
  entities: number
  values: number
  /** Questions that name a known entity, and questions for which a fact leads to a row. */
  named: number
  led: number
  ahead: ReturnType<typeof pairedDifferences>
}

/**
 * Extracts facts from the rows with Dreaming's rules, oldest row first, and ranks each question with them.
 */
export async function measureClaims(
  set: QualitySet,
  index: RankedIndex,
  asked: readonly AskedQuestion<QualityQuestion>[],
): Promise<ClaimsGain> {
  const knowledge = await readRows(set.rows)
  const count = { named: 0, led: 0 }
  const without = asked.map(({ answer }) => idsOf(answer.ranked))
  const lists = asked.map(({ question, hits }, at) => {
    const { isNamed, claims } = evidenceFor(question, knowledge)
    if (isNamed) count.named++
    if (claims.size === 0) return without[at] as string[]
    count.led++
    const graph = { claims, traversal: new Map<string, number>() }
    return idsOf(index.rank(question.query, hits, new Set(), graph).ranked)
  })
  const ahead = pairedDifferences(scoresOf(set, lists).scores, scoresOf(set, without).scores)
  return { entities: knowledge.entities.size, values: knowledge.values.length, ...count, ahead }
}

async function readRows(rows: readonly StoredMemory[]): Promise<Knowledge> {
  const entities = new Map<string, KnownName>()
  const values: ExtractedValue[] = []
  for (const row of [...rows].sort((a, b) => a.createdAt - b.createdAt)) {
    for (const { operation, isSure } of await read(row, entities)) {
      if (!isSure) continue
      if (operation.operation === 'create_entity') {
        const { name, type } = operation.payload
        const entityId = `e${entities.size}`
        if (!entities.has(nameKey(name)))
          entities.set(nameKey(name), { name, type, aliases: [], entityId, claims: [] })
      }
      if (operation.operation !== 'assert_claim') continue
      const { entity, aspect, claim, value } = operation.payload
      const entity_id = entities.get(nameKey(entity))?.entityId
      if (entity_id === undefined) continue
      const keys = { aspect_key: nameKey(aspect), group_key: 'general', claim_key: nameKey(claim) }
      const claim_id = [entity_id, keys.aspect_key, keys.claim_key].join('/')
      // A second value for the same slot and project is contested and leads to no row.
      const { project, id: memory_id } = row
      const held = values.find(one => one.claim_id === claim_id && one.project === project)
      if (held && nameKey(held.value) !== nameKey(value)) continue
      const version_id = `${claim_id}/${project}`
      const confidence = operation.confidence
      values.push({ memory_id, version_id, entity_id, confidence, ...keys, claim_id, value, project })
    }
  }
  return { entities, values }
}

async function read(row: StoredMemory, entities: ReadonlyMap<string, KnownName>) {
  const { id: sourceId, content: text, who: speaker, project, createdAt } = row
  const words = ` ${nameWords(`${text} ${project} user`).join(' ')} `
  const known = [...entities].filter(([key]) => words.includes(` ${key} `)).map(([, one]) => one)
  const at = new Date(createdAt).toISOString()
  const piece = { sourceKind: 'memory' as const, sourceId, text, speaker, at, project, sessionKey: null }
  const budget = { tokensLeft: () => 0, callsLeft: () => 0, spend: async () => undefined }
  const { signal } = new AbortController()
  const reading = { agentId: 'default', project, pieces: [piece], known, budget, signal }
  return (await deterministicReader.read(reading)).operations
}

/** Returns the evidence that the tables of a store would give. */
function evidenceFor(
  { query, project }: ScopedQuery,
  { entities, values }: Knowledge,
): { isNamed: boolean; claims: ReadonlyMap<string, number> } {
  const names = namesIn(query)
  const things = names.keys.flatMap((key): NamedThing[] => {
    const entity_id = entities.get(key)?.entityId
    const entity =
      entity_id === undefined ? [] : [{ part: 'entity' as const, key, entity_id, claim_id: null }]
    const slots = (['claim', 'aspect'] as const).flatMap(part => {
      const ofName = new Map(
        values.filter(one => one[`${part}_key`] === key).map(one => [one.claim_id, one.entity_id]),
      )
      const first = [...ofName].slice(0, weights.claims.mostSlots)
      return first.map(([claim_id, entity_id]) => ({ part, key, entity_id, claim_id }))
    })
    return [...entity, ...slots]
  })
  const matches = matchNames(things, names)
  const paths = values.filter(
    one =>
      (project === null || one.project === project) &&
      (matches.entities.has(one.entity_id) || matches.fewSlots.includes(one.claim_id)),
  )
  return { isNamed: things.length > 0, claims: claimEvidence(paths, matches, new Map()) }
}

/** Formats one line for each set. */
export function claimsReport(sets: readonly { name: string; claims: ClaimsGain }[]): string[] {
  return markdownTable(
    ['with claims, minus without', 'entities; values', 'questions that name one; led', 'R@5', 'R@10', 'MRR'],
    sets.map(({ name, claims: { entities, values, named, led, ahead } }) => [
      name,
      `${entities}; ${values}`,
      `${named}; ${led}`,
      ...(['R@5', 'R@10', 'MRR'] as const).map(metric => inPoints(ahead[metric])),
    ]),
  )
}
