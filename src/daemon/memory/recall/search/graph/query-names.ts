import { queryStopWords, weakQueryWords } from '../../../../../store/index/words/analysis/stop-words.js'
import type { NamedThing } from '../../../../../store/tables/knowledge/recall-paths.js'
import { nameWords, runsAt } from '../../../../ground/entities/name-key.js'
import { weights } from '../../ranking/weights.js'

const weak: ReadonlySet<string> = new Set(weakQueryWords)

/** Characters and words of a query in which names are looked for: a question is shorter. */
const maxCharacters = 4000
const maxWords = 64

/** What a query may name. */
export interface QueryNames {
  /** Every run of its words that may be a name, folded; none that is made of words that say nothing. */
  keys: readonly string[]
  /** Share of the query that the words of some names are, 0..1, as the index counts words: weak ones half. */
  shareOf: (keys: Iterable<string>) => number
}

/** Reads names off a query in whole words. */
export function namesIn(query: string): QueryNames {
  const words = nameWords(query.slice(0, maxCharacters)).slice(0, maxWords)
  const keys = new Set(words.flatMap((_, at) => runsAt(words, at)))
  const counted = (some: Iterable<string>) => [...new Set(some)].reduce((sum, word) => sum + countOf(word), 0)
  // A long question is held to a few words, as it is by the index.
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

/** What a word of a query counts. */
function countOf(word: string): number {
  if (queryStopWords.has(word)) return 0
  return weak.has(word) ? 0.5 : 1
}

/** The entities and slots of the ontology that a query names. */
export interface QueryMatches extends Pick<QueryNames, 'shareOf'> {
  /** Entities with their names in the query, folded, the one that is most of the query first. */
  entities: ReadonlyMap<string, readonly string[]>
  /** How many slots are of a name in the query, by the folded name; from `mostSlots` on they are not counted. */
  slotKeys: ReadonlyMap<string, number>
  /** Slots of names that few slots have: they are meant, whatever entity they are of. */
  fewSlots: readonly string[]
}

/** Sorts the things that the query names. A name inside a longer name of an entity does not count for itself. */
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
