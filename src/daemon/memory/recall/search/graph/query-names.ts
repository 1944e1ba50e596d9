import { queryStopWords, weakQueryWords } from '../../../../../store/index/words/analysis/stop-words.js'
import type { NamedThing } from '../../../../../store/tables/knowledge/recall-paths.js'
import { nameWords, runsAt } from '../../../../ground/entities/name-key.js'
import { weights } from '../../ranking/weights.js'

const weak: ReadonlySet<string> = new Set(weakQueryWords)

/** Characters and words of a query in which names are looked up; questions are shorter. */
const maxCharacters = 4000
const maxWords = 64

/** Possible names in a query. */
export interface QueryNames {
  /** Every folded run of its words that may be a name, except runs of meaningless words. */
  keys: readonly string[]
  /**
   * Share of the query that the words of some names make up, 0..1, counted as in the index: weak words half.
   */
  shareOf: (keys: Iterable<string>) => number
}

/** Finds possible names in a query, in whole words. */
export function namesIn(query: string): QueryNames {
  const words = nameWords(query.slice(0, maxCharacters)).slice(0, maxWords)
  const keys = new Set(words.flatMap((_, at) => runsAt(words, at)))
  const counted = (some: Iterable<string>) => [...new Set(some)].reduce((sum, word) => sum + countOf(word), 0)
  // A long question counts as a few words, as in the index.
  const full = Math.min(Math.max(1, counted(words)), weights.fuse.fullQuestionWords)
  return {
    keys: [...keys].filter(key => {
      const words = key.split(' ')
      // One word is nearly always enough.
      return words.some(word => countOf(word) >= 1) || counted(words) >= 1
    }),
    shareOf: names => Math.min(1, counted([...names].flatMap(name => name.split(' '))) / full),
  }
}

/** Weight of a word in a query. */
function countOf(word: string): number {
  if (queryStopWords.has(word)) return 0
  return weak.has(word) ? 0.5 : 1
}

/** Entities and slots of the ontology that a query names. */
export interface QueryMatches extends Pick<QueryNames, 'shareOf'> {
  /** Entities with their folded names in the query; the entity that makes up most of the query first. */
  entities: ReadonlyMap<string, readonly string[]>
  /** Number of slots by folded name in the query, counted up to `mostSlots`. */
  slotKeys: ReadonlyMap<string, number>
  /** Slots whose name is shared by few: they are meant even without their entity. */
  fewSlots: readonly string[]
}

/** Sorts the named things. A name within a longer name of an entity does not count separately. */
export function matchNames(
  things: readonly NamedThing[],
  { shareOf }: Pick<QueryNames, 'shareOf'>,
): QueryMatches {
  const named = things.filter(({ part }) => part === 'entity')
  const entities = new Map<string, string[]>()
  for (const { entity_id, key } of named) {
    if (entity_id === null) continue
    const isWithin = named.some(other => other.key !== key && ` ${other.key} `.includes(` ${key} `))
    if (!isWithin) entities.set(entity_id, [...(entities.get(entity_id) ?? []), key])
  }
  const { mostSlots, mostEntities } = weights.claims
  const slots = new Map<string, Set<string>>()
  const many = new Set<string>()
  for (const { part, key, claim_id } of things) {
    if (part === 'entity') continue
    const ids = slots.get(key) ?? new Set()
    slots.set(key, claim_id === null ? ids : ids.add(claim_id))
    if (claim_id === null || ids.size >= mostSlots) many.add(key)
  }
  const byShare = [...entities].sort(([, a], [, b]) => shareOf(b) - shareOf(a))
  return {
    shareOf,
    entities: new Map(byShare.slice(0, mostEntities)),
    slotKeys: new Map([...slots].map(([key, claims]) => [key, many.has(key) ? mostSlots : claims.size])),
    fewSlots: [...slots].flatMap(([key, claims]) => (many.has(key) ? [] : [...claims])),
  }
}
